internal import GRDB
internal import SealiteCrypto
internal import SealiteJSON

/// The tables of format 1 (Documentation/DocumentFormat.md §3).
enum Schema {
    static let applicationID: Int64 = 0x5345_4C44
    static let version: Int64 = 1
    static let defaultCollectionNumber = 1

    /// A table or index of the format, and the SQL that makes it.
    struct Part {
        let name: String
        let sql: String
    }

    /// The tables and indexes that every database has, in the order in which they are made.
    static let parts = [
        Part(
            name: "properties",
            sql: "CREATE TABLE properties (name TEXT NOT NULL PRIMARY KEY, value ANY) WITHOUT ROWID, STRICT"),
        Part(
            name: "collections",
            sql: """
                CREATE TABLE collections (
                    number INTEGER PRIMARY KEY AUTOINCREMENT,
                    scope TEXT NOT NULL, name TEXT NOT NULL,
                    sequence INTEGER NOT NULL DEFAULT 0,
                    purges INTEGER NOT NULL DEFAULT 0,
                    UNIQUE (scope, name)) STRICT
                """),
        Part(
            name: "blobs",
            sql: """
                CREATE TABLE blobs (
                    number INTEGER PRIMARY KEY,
                    digest BLOB UNIQUE, length INTEGER NOT NULL,
                    touched INTEGER NOT NULL, used INTEGER NOT NULL DEFAULT 0) STRICT
                """),
        Part(
            name: "blob_chunks",
            sql: "CREATE TABLE blob_chunks (position INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT"),
        Part(
            name: "blob_references",
            sql: """
                CREATE TABLE blob_references (
                    collection INTEGER NOT NULL, id TEXT NOT NULL, digest BLOB NOT NULL,
                    PRIMARY KEY (collection, id, digest)) WITHOUT ROWID, STRICT
                """),
        Part(
            name: "blob_references_digest", sql: "CREATE INDEX blob_references_digest ON blob_references (digest)"),
        Part(
            name: "remotes",
            sql: "CREATE TABLE remotes (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT"),
        Part(
            name: "local_values",
            sql: """
                CREATE TABLE local_values (
                    store TEXT NOT NULL, name TEXT NOT NULL, revision TEXT, value BLOB NOT NULL,
                    PRIMARY KEY (store, name)) WITHOUT ROWID, STRICT
                """),
    ]

    /// The table and indexes of one collection, the table first.
    static func collectionParts(_ number: Int) -> [Part] {
        let table = "documents_\(number)"
        return [
            Part(
                name: table,
                sql: """
                    CREATE TABLE \(table) (
                        sequence INTEGER PRIMARY KEY,
                        id TEXT NOT NULL, flags INTEGER NOT NULL, revision BLOB NOT NULL,
                        expires INTEGER, body BLOB, tree BLOB) STRICT
                    """),
            Part(name: "\(table)_id", sql: "CREATE UNIQUE INDEX \(table)_id ON \(table) (id)"),
            Part(
                name: "\(table)_deleted",
                sql: "CREATE INDEX \(table)_deleted ON \(table) (sequence) WHERE flags & 1"),
            Part(
                name: "\(table)_expires",
                sql: "CREATE INDEX \(table)_expires ON \(table) (expires) WHERE expires IS NOT NULL"),
        ]
    }

    /// Makes the table and indexes of one collection.
    static func createCollection(_ number: Int, in database: GRDB.Database) throws {
        for part in collectionParts(number) { try database.execute(sql: part.sql) }
    }

    /// Makes the tables in a file that has none, or checks that they are ours. In a write transaction.
    ///
    /// - Throws: `wrongFormat` for a database of something else, `databaseTooNew` for a later version's.
    static func prepare(_ database: GRDB.Database, path: String) throws {
        if try isEmpty(database, path: path) { try create(database) }
    }

    /// Whether a file has no tables yet; where it has, checks that they are ours.
    ///
    /// - Throws: `wrongFormat` for a database of something else, `databaseTooNew` for a later version's.
    static func isEmpty(_ database: GRDB.Database, path: String) throws -> Bool {
        let application = try database.integer("PRAGMA application_id")
        let found = try database.integer("PRAGMA user_version")
        let tableCount = try database.integer("SELECT count(*) FROM sqlite_schema")
        if application == 0, found == 0, tableCount == 0 { return true }
        guard application == applicationID else {
            throw DatabaseError(
                .wrongFormat, "\"\(path)\" is a database, but not one of documents (application id \(application))")
        }
        guard found <= version else {
            throw DatabaseError(
                .databaseTooNew, "\"\(path)\" has document format \(found); this program knows up to \(version)",
                hint: "open it with a newer version of the program")
        }
        guard found == version else {
            throw DatabaseError(.corruptData, "\"\(path)\" has document format \(found), which never was")
        }
        return false
    }

    private static func create(_ database: GRDB.Database) throws {
        try database.execute(sql: "PRAGMA application_id = \(applicationID)")
        try database.execute(sql: "PRAGMA user_version = \(version)")
        for part in parts { try database.execute(sql: part.sql) }
        try database.execute(sql: "INSERT INTO collections (scope, name) VALUES ('_default', '_default')")
        try createCollection(defaultCollectionNumber, in: database)
        for name in ["publicUUID", "privateUUID"] { try setProperty(name, try UUIDBytes.random(), in: database) }
    }

    static func property(_ name: String, in database: GRDB.Database) throws -> [UInt8]? {
        let statement = try PreparedStatement(database, "SELECT value FROM properties WHERE name = ?1")
        statement.bind(name, at: 1)
        return try statement.step() ? statement.bytes(at: 0) : nil
    }

    static func setProperty(_ name: String, _ value: [UInt8], in database: GRDB.Database) throws {
        let statement = try PreparedStatement(
            database, "INSERT OR REPLACE INTO properties (name, value) VALUES (?1, ?2)")
        statement.bind(name, at: 1)
        statement.bind(value, at: 2)
        try statement.run()
    }
}

/// Random UUIDs (RFC 9562 version 4).
enum UUIDBytes {
    static func random() throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 16)
        try unsafe bytes.withUnsafeMutableBytes { try unsafe SecureRandom.fill($0) }
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        return bytes
    }

    static func text(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text.append(0x2D) }
            text.append(Hexadecimal.digit(byte >> 4))
            text.append(Hexadecimal.digit(byte & 15))
        }
        return String(decoding: text, as: UTF8.self)
    }
}
