/// The result of a backup of a database. The backup was read again and found intact.
public struct BackupReport: Sendable, Equatable, Encodable {
    /// The path of the backup.
    public let path: String
    /// The backup's own database id, 32 hex digits.
    public let databaseID: String
    /// The number of pages in the backup.
    public let pageCount: Int
    /// The page size in bytes.
    public let pageSize: Int
    /// The size of the backup file in bytes.
    public let byteCount: Int64
    /// The number of passes in which changed pages were copied again because other connections had committed; only in
    /// rollback-journal mode.
    public let catchUpCount: Int
    /// The result of SQLite's integrity check of the backup; `skipped` if the check needs functions or collations of
    /// the application.
    public let integrity: IntegrityOutcome
}
