internal import SealiteFile

/// The result of a copy between plain and sealed databases, which was compared with its source row by row before it got
/// its name.
public struct CopyReport: Sendable, Equatable {
    /// The number of tables compared, including shadow tables of virtual tables and SQLite's own tables.
    public let tableCount: Int
    /// The number of rows compared, in all tables.
    public let rowCount: Int64
    /// The page size of the copy in bytes.
    public let pageSize: Int
    /// The page size of the source in bytes.
    public let sourcePageSize: Int
    /// The journal mode that the copy preserves: "wal", or "delete" for all modes that a file doesn't store.
    public let journalMode: String
    /// The number of reserved bytes at the end of each page of the copy: 48 in a sealed file.
    public let reservedByteCount: Int
    /// The size of the copy in bytes.
    public let byteCount: Int64
}
