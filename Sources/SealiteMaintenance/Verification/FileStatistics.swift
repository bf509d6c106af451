public import SealiteFile

/// Counts and settings of an unlocked database.
public struct FileStatistics: Sendable, Codable, Equatable {
    /// The number of pages in the database, as a reader sees it.
    public let pageCount: Int
    /// The number of free pages.
    public let freePageCount: Int
    /// The number of objects of each type in the schema, by SQLite's name of the type: "table", "index", "view" or
    /// "trigger".
    public let schemaCounts: [String: Int]
    /// The journal mode, such as "wal" or "delete".
    public let journalMode: String
    /// The text encoding: "UTF-8", "UTF-16le" or "UTF-16be".
    public let encoding: String
    /// The auto-vacuum mode: 0 none, 1 full, 2 incremental.
    public let autoVacuum: Int
    /// The application's version number (`PRAGMA user_version`).
    public let userVersion: Int
    /// The application's id (`PRAGMA application_id`).
    public let applicationID: Int
}

extension SealedDatabase {
    /// Reads counts and settings through a separate connection in one read transaction.
    ///
    /// - Throws: `SealedFileError` of opening and reading, such as `busy`, `damagedPage` or `locked`.
    public func statistics() throws(SealedFileError) -> FileStatistics {
        let connection = try connect()
        try connection.execute("BEGIN")
        var kinds: [String: Int] = [:]
        try connection.query("SELECT type, count(*) FROM sqlite_schema GROUP BY type") {
            (row) throws(SealedFileError) in
            kinds[row.text(0) ?? ""] = Int(row.integer(1))
        }
        return FileStatistics(
            pageCount: Int(try connection.integer("PRAGMA page_count")),
            freePageCount: Int(try connection.integer("PRAGMA freelist_count")),
            schemaCounts: kinds,
            journalMode: try connection.text("PRAGMA journal_mode") ?? "",
            encoding: try connection.text("PRAGMA encoding") ?? "",
            autoVacuum: Int(try connection.integer("PRAGMA auto_vacuum")),
            userVersion: Int(try connection.integer("PRAGMA user_version")),
            applicationID: Int(try connection.integer("PRAGMA application_id")))
    }
}
