internal import GRDB

/// A collection of documents in a scope of a database, the unit for reading, changing, observing and replicating
/// documents.
///
/// Several `Collection` objects may stand for one collection; such objects are equal. Once the collection is deleted or
/// its database closed, their methods throw `notOpen`.
public final class Collection: Sendable, Hashable {
    /// The collection's name.
    public let name: String
    /// The name of the collection's scope.
    public let scopeName: String
    /// The database that contains the collection.
    public let database: Database

    /// The number in the names of the collection's tables.
    package let number: Int
    let sql: CollectionSQL

    init(_ database: Database, number: Int, scope: String, name: String) {
        self.database = database
        self.number = number
        self.name = name
        scopeName = scope
        sql = CollectionSQL(number)
    }

    /// The scope's name and the collection's name: `scope.name`.
    public var fullName: String { "\(scopeName).\(name)" }

    /// The scope that contains the collection.
    public var scope: Scope { Scope(database: database, name: scopeName) }

    /// The number of documents, without deleted ones.
    public var count: UInt64 {
        get throws {
            try database.reading { connection in
                UInt64(clamping: try connection.integer(self.sql.count))
            }
        }
    }

    /// The sequence of the last change; 0 if there was none.
    public var lastSequence: UInt64 {
        get throws { UInt64(try database.reading { try self.lastSequence($0) }) }
    }

    /// - Throws: `notOpen` if the collection was deleted.
    func lastSequence(_ connection: GRDB.Database) throws -> Int64 {
        let statement = try PreparedStatement(connection, sql.lastSequence)
        guard try statement.step() else { throw DatabaseError(.notOpen, "the collection \"\(fullName)\" was deleted") }
        return statement.int64(at: 0)
    }

    /// Returns the greatest sequence, and the greatest number of a document or tombstone, for a transaction that is
    /// about to write to the collection.
    ///
    /// The third part is the fingerprint of the collection's indexes (``IndexKeepers``), nil if it has none.
    ///
    /// - Throws: `notOpen` if the collection was deleted.
    func lastRow(_ connection: GRDB.Database) throws -> LastRow {
        let statement = try PreparedStatement(connection, sql.lastRow)
        guard try statement.step() else { throw DatabaseError(.notOpen, "the collection \"\(fullName)\" was deleted") }
        let indexes = statement.isNull(at: 2) ? nil : statement.text(at: 2)
        return (statement.int64(at: 0), statement.int64(at: 1), indexes, statement.int64(at: 3) != 0)
    }

    /// The facts about a collection that a transaction needs before it changes it: the last sequence and number, the fingerprint of the collection's
    /// indexes, and whether documents of the collection are, or were, synced one by one.
    typealias LastRow = (sequence: Int64, number: Int64, indexes: String?, isSynced: Bool)

    /// Returns whether two objects stand for the same collection of the same `Database`.
    public static func == (left: Collection, right: Collection) -> Bool {
        left.database === right.database && left.number == right.number
    }

    /// Hashes the collection's identity.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(database))
        hasher.combine(number)
    }
}

/// A scope: a namespace of collections. It exists while it has a collection; `_default` always exists.
public struct Scope: Sendable {
    /// The database that contains the scope.
    public let database: Database
    /// The scope's name.
    public let name: String

    /// Returns the scope's collections, sorted by name.
    public func collections() throws -> [Collection] { try database.collections(scope: name) }

    /// Returns a collection of the scope; nil if no collection has that name.
    public func collection(name: String) throws -> Collection? {
        try database.collection(name: name, scope: self.name)
    }
}

/// The SQL statements on one collection's table, made once.
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
        // Without a condition SQLite counts in the smallest index and reads no documents.
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
