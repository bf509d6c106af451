internal import GRDB

/// A collection of documents in a scope of a database: what is read, changed, observed and replicated as one.
///
/// Any number of `Collection` values may stand for one collection; they are equal when they do. Once the collection is
/// deleted or its database closed, their methods throw `notOpen`.
public final class Collection: Sendable, Hashable {
    /// The collection's name.
    public let name: String
    /// The name of its scope.
    public let scopeName: String
    /// The database it is in.
    public let database: Database

    /// The number that its tables are named by.
    package let number: Int
    let sql: CollectionSQL

    init(_ database: Database, number: Int, scope: String, name: String) {
        self.database = database
        self.number = number
        self.name = name
        scopeName = scope
        sql = CollectionSQL(number)
    }

    /// `scope.name`.
    public var fullName: String { "\(scopeName).\(name)" }

    /// The scope it is in.
    public var scope: Scope { Scope(database: database, name: scopeName) }

    /// How many documents there are, deleted ones not counted.
    public var count: UInt64 {
        get throws {
            try database.reading { connection in
                UInt64(clamping: try connection.integer(self.sql.count))
            }
        }
    }

    /// The sequence of the last change; 0 while there was none.
    public var lastSequence: UInt64 {
        get throws { UInt64(try database.reading { try self.lastSequence($0) }) }
    }

    /// - Throws: `notOpen` when the collection was deleted.
    func lastSequence(_ connection: GRDB.Database) throws -> Int64 {
        let statement = try PreparedStatement(connection, sql.lastSequence)
        guard try statement.step() else { throw DatabaseError(.notOpen, "the collection \"\(fullName)\" was deleted") }
        return statement.int64(at: 0)
    }

    /// Returns the greatest sequence that was given, and the greatest number of a document or tombstone, for a transaction that is
    /// about to write the collection.
    ///
    /// The third part is the fingerprint of its indexes (``IndexKeepers``), nil where it has none.
    ///
    /// - Throws: `notOpen` when the collection was deleted.
    func lastRow(_ connection: GRDB.Database) throws -> LastRow {
        let statement = try PreparedStatement(connection, sql.lastRow)
        guard try statement.step() else { throw DatabaseError(.notOpen, "the collection \"\(fullName)\" was deleted") }
        let indexes = statement.isNull(at: 2) ? nil : statement.text(at: 2)
        return (statement.int64(at: 0), statement.int64(at: 1), indexes, statement.int64(at: 3) != 0)
    }

    /// What a transaction has to know of a collection before it changes it: the last sequence and number that were given, the
    /// fingerprint of its indexes, and whether documents of it are, or were, synced one by one.
    typealias LastRow = (sequence: Int64, number: Int64, indexes: String?, isSynced: Bool)

    /// Whether both stand for the same collection of the same `Database`.
    public static func == (left: Collection, right: Collection) -> Bool {
        left.database === right.database && left.number == right.number
    }

    /// Hashes the collection's identity.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(database))
        hasher.combine(number)
    }
}

/// A scope: a namespace of collections. It exists while it has a collection; `_default` always does.
public struct Scope: Sendable {
    /// The database it is in.
    public let database: Database
    /// The scope's name.
    public let name: String

    /// The scope's collections, by name.
    public func collections() throws -> [Collection] { try database.collections(scope: name) }

    /// A collection of the scope; nil when there is none of that name.
    public func collection(name: String) throws -> Collection? {
        try database.collection(name: name, scope: self.name)
    }
}

/// The statements on one collection's table, made once.
struct CollectionSQL: Sendable {
    let table: String
    let count: String
    let tombstoneCount: String
    let lastRow: String
    let lastSequence: String
    let insert: String
    let select: String
    let selectHead: String
    let selectAll: String
    let selectNumber: String
    let selectBody: String
    let update: String
    let move: String
    let updateTree: String
    let updateExpiration: String
    let delete: String

    init(_ number: Int) {
        table = "documents_\(number)"
        tombstoneCount = "SELECT count(*) FROM \(table) WHERE number < 0"
        // Without a condition SQLite counts in the smallest index, and reads no document.
        count = "SELECT (SELECT count(*) FROM \(table)) - (\(tombstoneCount))"
        lastSequence = """
            SELECT max(sequence, ifnull((SELECT max(sequence) FROM \(table)), 0)) FROM collections
            WHERE number = \(number)
            """
        lastRow = """
            SELECT max(sequence, ifnull((SELECT max(sequence) FROM \(table)), 0)),
                max(ifnull((SELECT max(number) FROM \(table)), 0), -ifnull((SELECT min(number) FROM \(table)), 0)),
                \(IndexKeepers.fingerprintSQL(ofCollection: number)),
                EXISTS (SELECT 1 FROM local_values WHERE store = '\(SyncSpace.store)' AND name = '\(number)')
            FROM collections WHERE number = \(number)
            """
        insert = """
            INSERT INTO \(table) (number, id, sequence, flags, revision, body, tree)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (id) DO NOTHING
            """
        select = "SELECT sequence, flags, revision, body FROM \(table) WHERE id = ?1"
        selectHead = "SELECT number, sequence, flags, revision, tree FROM \(table) WHERE id = ?1"
        let all = "number, sequence, flags, revision, tree, body"
        selectAll = "SELECT \(all) FROM \(table) WHERE id = ?1"
        selectNumber = "SELECT \(all), id FROM \(table) WHERE number = ?1"
        selectBody = "SELECT body FROM \(table) WHERE number = ?1"
        let columns = "sequence = ?2, flags = ?3, revision = ?4, body = ?5, tree = ?6 WHERE number = ?1"
        update = "UPDATE \(table) SET \(columns)"
        move = "UPDATE \(table) SET number = -number, \(columns)"
        updateTree = "UPDATE \(table) SET tree = ?2 WHERE number = ?1"
        updateExpiration = "UPDATE \(table) SET expires = ?2 WHERE id = ?1"
        delete = "DELETE FROM \(table) WHERE number = ?1"
    }
}
