internal import SealiteCrypto

/// Increments of a header's counters. The values come from disk, and anyone can compute a copy's checksum, so a counter
/// may already have its maximum value.
extension HeaderContent {
    /// The largest plausible lead of a copy's counters; no writer of this file is further ahead.
    private static let plausibleLead: UInt64 = 1 << 32

    /// Raises the generation by one, for a header that is about to be written.
    package mutating func raiseGeneration() throws(SealedFileError) { try Self.raise(&generation, "header generation") }

    /// Raises the freshness counter by one, for a record that is about to be written.
    package mutating func raiseFreshness() throws(SealedFileError) { try Self.raise(&freshness, "freshness counter") }

    private static func raise(_ counter: inout UInt64, _ name: String) throws(SealedFileError) {
        let (next, overflow) = counter.addingReportingOverflow(1)
        guard !overflow else {
            throw SealedFileError(
                .refused, "the \(name) is at its highest and can't be raised",
                hint: Remedy.copyByBackup.hint)
        }
        counter = next
    }

    /// Returns the header to write over both copies: its generation exceeds theirs, its freshness counter is no lower,
    /// and it takes over a copy's application key if this header predates that key.
    package func succeeding(_ copies: [HeaderImage], master: MasterKey) throws(SealedFileError) -> HeaderContent {
        var next = self
        if next.applicationKey == nil {
            // A key wrapped under the master key for this database is authentic whatever the rest of its copy is.
            next.applicationKey = copies.lazy.map(\.content).filter { $0.masterID == master.id }
                .compactMap(\.applicationKey).first {
                    (try? master.unwrapApplicationKey($0, databaseID: next.databaseID)) != nil
                }
        }
        for copy in copies.map(\.content) {
            next.generation = Self.later(next.generation, copy.generation)
            next.freshness = Self.later(next.freshness, copy.freshness)
        }
        try next.raiseGeneration()
        return next
    }

    private static func later(_ known: UInt64, _ found: UInt64) -> UInt64 {
        found > known && found - known < plausibleLead ? found : known
    }
}
