public import SealiteFile

/// Counts and settings of an unlocked database: the part of `sealite info` that needs a key.
public struct DatabaseStatistics: Sendable, Codable, Equatable {
    /// The number of pages that the database has, as a reader sees it.
    public let pageCount: Int
    /// The number of those that are free.
    public let freePageCount: Int
    /// The number of tables, indexes, views and triggers that the schema names, by SQLite's word for the kind.
    public let schemaCounts: [String: Int]
    /// "wal", "delete", and so on.
    public let journalMode: String
    /// "UTF-8", "UTF-16le" or "UTF-16be".
    public let encoding: String
    /// 0 none, 1 full, 2 incremental.
    public let autoVacuum: Int
    /// The application's own version number.
    public let userVersion: Int
    /// The application's own id.
    public let applicationID: Int
}

extension SealedDatabase {
    /// Reads counts and settings through a connection of its own, as one reader sees them.
    ///
    /// - Throws: `SealedFileError`: whatever opening and reading gives: `busy`, `damagedPage`, `locked`, …
    public func statistics() throws(SealedFileError) -> DatabaseStatistics {
        let connection = try connect()
        try connection.execute("BEGIN")
        var kinds: [String: Int] = [:]
        try connection.query("SELECT type, count(*) FROM sqlite_schema GROUP BY type") {
            (row) throws(SealedFileError) in
            kinds[row.text(0) ?? ""] = Int(row.integer(1))
        }
        return DatabaseStatistics(
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
