internal import SealiteBase

/// Increments of a header's counters. The counters are read from disk, where anyone can write any value with a matching
/// checksum, so an increment may overflow.
extension HeaderContent {
    /// The lead over this header's counter from which a copy's counter is ignored as forged: no real sequence of writes
    /// leaves one header so far ahead of another.
    private static let plausibleLead: UInt64 = 1 << 32

    /// Raises the generation by one, for a header that is about to be written.
    package mutating func raiseGeneration() throws(SealedFileError) { try Self.raise(&generation, "header generation") }

    /// Raises the freshness counter by one, before a freshness record with the new value is written.
    package mutating func raiseFreshness() throws(SealedFileError) { try Self.raise(&freshness, "freshness counter") }

    private static func raise(_ counter: inout UInt64, _ name: String) throws(SealedFileError) {
        let (next, overflow) = counter.addingReportingOverflow(1)
        guard !overflow else {
            throw SealedFileError(
                .refused, "the file's \(name) has its maximum value and can't be raised",
                hint: FileRemedy.copyByBackup.hint)
        }
        counter = next
    }

    /// Returns this header in the form to be written over both copies: with a generation above the copies' generations
    /// and a freshness counter that is no lower than theirs. A counter of a copy that is 2^32 or more ahead of this
    /// header's is ignored as forged. A copy's application key is taken over if this header has none.
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
        assert(next.generation > generation && next.freshness >= freshness, "counters never go back")
        assert(next.databaseID == databaseID && next.pageSize == pageSize && next.masterID == masterID)
        return next
    }

    private static func later(_ known: UInt64, _ found: UInt64) -> UInt64 {
        found > known && found - known < plausibleLead ? found : known
    }
}
