internal import SealiteFile

/// Counts of the database file's pages.
public struct PageSummary: Sendable, Codable, Equatable {
    /// The number of pages in the database, as a reader sees it.
    public internal(set) var count = 0
    /// The number of authentic pages in the file.
    public internal(set) var authenticCount = 0
    /// The number of free pages that were never written.
    public internal(set) var neverWrittenCount = 0
    /// The number of pages that readers take from the write-ahead log instead of the file.
    public internal(set) var inWALCount = 0
    /// The number of damaged pages.
    public internal(set) var damagedCount = 0
}
