internal import GRDB
internal import SealiteBase
internal import SealiteCrypto
internal import SealiteFile

/// The tables of the format (Documentation/DocumentFormat.md §3).
package enum FormatTables {
    /// The value of `PRAGMA application_id` that identifies a document database.
    static let applicationID: Int64 = 0x5345_4C44
    /// The number of the format. Until the first release, each change raises it, and databases with another number are
    /// refused.
    package static let version: Int64 = 4
    static let defaultCollectionNumber = 1
    /// The name of the store, in the table `local_values`, in which a collection has an entry, under its number, if any
    /// of its documents is or was in per-document sync.
    static let syncSpaceStore = "sync"
    /// The stores of the sequences up to which collections were served, and of the count of bytes of bases of deltas.
    static let servedStore = "served"
    static let servedBasesStore = "served/bases"
    /// The store of the conflicts that wait for resolution (``ConflictNote``), under the numbers of collections.
    static let conflictStore = "conflicts"

    /// A table or index of the format, with the SQL that creates it.
    struct Part: Sendable {
        let name: String
        let sql: String

        /// Returns whether a database has the object, as its SQL creates it.
        func isStored(in database: GRDB.Database) throws -> Bool {
            let stored = try database.first("SELECT sql FROM sqlite_schema WHERE name = ?1", name) { $0.text(at: 0) }
            return stored.map { SchemaTexts.areEqual($0, sql) } ?? false
        }
    }

    /// The tables and indexes that every database has, in the order of their creation.
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
        Part(
            name: "refusals",
            sql: """
                CREATE TABLE refusals (
                    remote INTEGER NOT NULL, collection INTEGER NOT NULL, id TEXT NOT NULL, revision BLOB NOT NULL,
                    domain TEXT NOT NULL, code INTEGER NOT NULL, reason TEXT NOT NULL, time INTEGER NOT NULL,
                    PRIMARY KEY (remote, collection, id)) WITHOUT ROWID, STRICT
                """),
        Part(
            name: "indexes",
            sql: """
                CREATE TABLE indexes (
                    number INTEGER PRIMARY KEY AUTOINCREMENT,
                    collection INTEGER NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL,
                    definition TEXT NOT NULL, versions TEXT NOT NULL, state INTEGER NOT NULL DEFAULT 0,
                    UNIQUE (collection, name)) STRICT
                """),
        Part(
            name: "schemas",
            sql: """
                CREATE TABLE schemas (
                    number INTEGER PRIMARY KEY AUTOINCREMENT,
                    title TEXT NOT NULL UNIQUE, collection INTEGER, version INTEGER NOT NULL,
                    definition TEXT NOT NULL) STRICT
                """),
    ]

    /// Returns the table and indexes of one collection: the table first, then its indexes, that over ids first.
    static func collectionParts(_ number: Int) -> [Part] {
        let table = "documents_\(number)"
        return [
            Part(
                name: table,
                sql: """
                    CREATE TABLE \(table) (
                        number INTEGER PRIMARY KEY CHECK ((number < 0) = (flags & 1)),
                        id TEXT NOT NULL, sequence INTEGER NOT NULL, flags INTEGER NOT NULL, revision BLOB NOT NULL,
                        expires INTEGER, body BLOB, tree BLOB) STRICT
                    """),
            Part(name: "\(table)_id", sql: "CREATE UNIQUE INDEX \(table)_id ON \(table) (id)"),
            Part(name: "\(table)_sequence", sql: "CREATE UNIQUE INDEX \(table)_sequence ON \(table) (sequence)"),
            Part(
                name: "\(table)_expires",
                sql: "CREATE INDEX \(table)_expires ON \(table) (expires) WHERE expires IS NOT NULL"),
        ]
    }

    /// Creates the table and indexes of one collection.
    static func createCollection(_ number: Int, in database: GRDB.Database) throws {
        for part in collectionParts(number) { try database.execute(sql: part.sql) }
    }

    /// The kind of content that is stored in a file.
    enum Content {
        /// The file has no tables yet.
        case nothing
        /// A document database whose tables are those of the format. `indexObjects` has the SQL of the tables, views and
        /// triggers that may belong to indexes of collections, by their names.
        case documents(indexObjects: [String: String])
    }

    /// Creates the tables in a file without tables. Called in a write transaction. A new database uses revision trees,
    /// not version vectors.
    ///
    /// - Parameters:
    ///   - database: the connection.
    ///   - known: the content that another connection has found in the file just before; nil if none has.
    ///   - path: the path of the file, for errors.
    /// - Returns: the content that the file had.
    /// - Throws: the errors of ``content(of:path:)``.
    static func prepare(_ database: GRDB.Database, known: Content?, path: String) throws -> Content {
        if case .documents? = known, let known { return known }
        // The file may have got its tables since the other connection looked at it.
        let content = try content(of: database, path: path)
        if case .nothing = content { try create(database) }
        return content
    }

    /// Returns the kind of content in a file, after a check of its tables.
    ///
    /// - Throws: `wrongFormat` for a database that isn't a document database, `databaseTooNew` for a database of a
    ///   later version or of a versioning that this program doesn't know, `databaseTooOld` for one of a removed format,
    ///   `corruptData` for a format that never existed, and for tables that aren't those of the format
    ///   (``TableCheck``).
    static func content(of database: GRDB.Database, path: String) throws -> Content {
        let application = try database.integer("PRAGMA application_id")
        let found = try database.integer("PRAGMA user_version")
        if application == 0, found == 0, try database.integer("SELECT count(*) FROM sqlite_schema") == 0 {
            return .nothing
        }
        guard application == applicationID else {
            throw DatabaseError(
                .wrongFormat, "\"\(path)\" is a database, but not a document database (application id \(application))",
                hint: DatabaseRemedy.openTables.hint)
        }
        guard found <= version else {
            throw DatabaseError(
                .databaseTooNew, "\"\(path)\" has document format \(found); this program knows up to \(version)",
                hint: "open it with a newer version of the program")
        }
        guard found > 0 else {
            throw DatabaseError(.corruptData, "\"\(path)\" has document format \(found), which doesn't exist")
        }
        guard found == version else {
            throw DatabaseError(
                .databaseTooOld, "\"\(path)\" has document format \(found), which was removed before the first release",
                hint: FileRemedy.exportByOldBuild.hint)
        }
        let check = try TableCheck(database)
        guard try versioning(of: database) != nil else {
            throw DatabaseError(
                .databaseTooNew, "\"\(path)\" has revisions of a kind that this program doesn't know",
                hint: "open it with a newer version of the program")
        }
        return .documents(indexObjects: check.indexObjects)
    }

    /// Returns the versioning of a document database, revision trees or version vectors; nil if this program doesn't
    /// know it.
    static func versioning(of database: GRDB.Database) throws -> DocumentVersioning? {
        guard let name = try property("versioning", in: database) else { return .trees }
        return DocumentVersioning(rawValue: String(decoding: name, as: UTF8.self))
    }

    private static func create(_ database: GRDB.Database) throws {
        try database.execute(sql: "PRAGMA application_id = \(applicationID)")
        try database.execute(sql: "PRAGMA user_version = \(version)")
        for part in parts { try database.execute(sql: part.sql) }
        try database.execute(sql: "INSERT INTO collections (scope, name) VALUES ('_default', '_default')")
        try createCollection(defaultCollectionNumber, in: database)
        try setIdentity(in: database)
    }

    /// Gives a database new UUIDs.
    static func setIdentity(in database: GRDB.Database) throws {
        for name in ["publicUUID", "privateUUID"] { try setProperty(name, try UUIDBytes.random(), in: database) }
    }

    static func property(_ name: String, in database: GRDB.Database) throws -> [UInt8]? {
        try database.first("SELECT value FROM properties WHERE name = ?1", name) { $0.bytes(at: 0) }
    }

    static func setProperty(_ name: String, _ value: [UInt8], in database: GRDB.Database) throws {
        try database.run("INSERT OR REPLACE INTO properties (name, value) VALUES (?1, ?2)", name, value)
    }
}

/// Random UUIDs (RFC 9562 version 4).
enum UUIDBytes {
    static func random() throws -> [UInt8] {
        var bytes = try SecureRandom.bytes(16)
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        return bytes
    }
}

/// The progress of the rebuild of an index, or of the migration of documents to another schema.
public struct MigrationProgress: Sendable, Equatable {
    /// The number of documents that have been rewritten or examined.
    public let rowCount: UInt64
    /// The number of all documents that are to be rewritten or examined.
    public let totalRowCount: UInt64

    package init(rowCount: UInt64, totalRowCount: UInt64) {
        (self.rowCount, self.totalRowCount) = (rowCount, totalRowCount)
    }
}
