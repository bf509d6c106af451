/// Counting on from a header. The numbers come from disk, and a copy's checksum is anyone's to make: they may be the highest
/// there are.
extension HeaderContent {
    /// A copy in the file further ahead than this many changes isn't one that a writer of this file made.
    private static let plausibleLead: UInt64 = 1 << 32

    /// Raises the generation by one, for a header that is to be written.
    package mutating func raiseGeneration() throws(SealedFileError) { try Self.raise(&generation, "header generation") }

    /// Raises the freshness counter by one, for a record that is to be written.
    package mutating func raiseFreshness() throws(SealedFileError) { try Self.raise(&freshness, "freshness counter") }

    private static func raise(_ counter: inout UInt64, _ name: String) throws(SealedFileError) {
        let (next, overflow) = counter.addingReportingOverflow(1)
        guard !overflow else {
            throw SealedFileError(
                .refused, "the \(name) is at its highest and can't be raised",
                hint: "copy the database into a new file with 'sealite backup'")
        }
        counter = next
    }

    /// The header to put in the place of both copies: a generation above theirs, a freshness counter no lower, and the application
    /// key that one of them has where this header is from before the file got it.
    package func succeeding(_ copies: [HeaderImage], master: MasterKey) throws(SealedFileError) -> HeaderContent {
        var next = self
        if next.applicationKey == nil {
            // Wrapped under the master key for this database, it is authentic whatever the rest of its copy is.
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
