import SealiteCrypto

/// The rollback journal of a transaction that has been neither committed nor rolled back: one that this process began,
/// or a hot one that a crash left.
package final class LiveJournal {
    package let preamble: JournalPreamble
    package var map = JournalMap()
    package var unitCount = 0
    var syncedUnitCount = 0
    /// A Boolean value that says whether the preamble on disk names this journal.
    var hasPreamble = false
    /// SQLite's super-journal record and the offset in the file of its clear-text copy, after the last unit; nil if
    /// there is none.
    var superRecord: (bytes: [UInt8], place: Int64)?

    package init(preamble: JournalPreamble) { self.preamble = preamble }
}
