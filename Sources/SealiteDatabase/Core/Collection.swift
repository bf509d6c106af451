internal import GRDB

/// A collection of documents in a scope of a database, the unit for reading, changing, observing and replicating
/// documents.
///
/// Several `Collection` objects can represent one collection; such objects are equal. Once the collection is deleted or
/// its database closed, their methods throw `notOpen`.
public final class Collection: Sendable, Hashable {
    /// The collection's name.
    public let name: String
    /// The name of the collection's scope.
    public let scopeName: String
    /// The database that contains the collection.
    public let database: Database

    /// The number that identifies the collection in the database, as in the name of its table, `documents_N`.
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

    /// The number of documents, not counting deleted documents.
    public var count: UInt64 {
        get throws {
            try database.reading { connection in
                UInt64(clamping: try connection.integer(self.sql.count))
            }
        }
    }

    /// The sequence of the collection's last change; 0 if there was none. A collection numbers its changes from 1.
    public var lastSequence: UInt64 {
        get throws { UInt64(try database.reading { try self.lastSequence($0) }) }
    }

    /// Returns the sequence of the collection's last change; 0 if there was none.
    ///
    /// - Throws: `notOpen` if the collection was deleted.
    func lastSequence(_ connection: GRDB.Database) throws -> Int64 {
        try existing(connection.first(sql.position) { try self.storedSequence($0) })
    }

    /// Returns what a statement has found in the collection's row.
    ///
    /// - Throws: `notOpen` if it has found no row, because the collection was deleted.
    func existing<Found>(_ found: Found?) throws(DatabaseError) -> Found {
        guard let found else { throw DatabaseError(.notOpen, "the collection \"\(fullName)\" was deleted") }
        return found
    }

    /// Returns the sequence of the collection in the first column of a row.
    func storedSequence(_ row: borrowing PreparedStatement) throws -> Int64 {
        try row.number(at: 0, atLeast: 0, "the stored sequence of the collection \"\(fullName)\"")
    }

    /// Returns the state of the collection for a transaction that is about to write to it, read from the collection's
    /// table and the catalogue of indexes.
    ///
    /// - Throws: `notOpen` if the collection was deleted.
    func lastRow(_ connection: GRDB.Database) throws -> LastRow {
        let row = try connection.first(sql.lastRow) { row -> LastRow in
            (
                try self.storedSequence(row),
                try row.number(
                    at: 1, atLeast: 0, "the greatest stored number of a document in the collection \"\(fullName)\""),
                row.isNull(at: 2) ? nil : row.text(at: 2), row.int64(at: 3) != 0,
                row.bytes(at: 4).flatMap { UInt64(bigEndianBytes: $0) }.map { Int64(clamping: $0) } ?? 0
            )
        }
        return try existing(row)
    }

    /// The state of a collection that a transaction reads before it changes the collection: the last sequence, the
    /// greatest document number, the fingerprint of the collection's indexes (nil if it has none), whether the
    /// collection takes part, or took part, in per-document sync, and the stored sequence up to which peers were served.
    typealias LastRow = (sequence: Int64, number: Int64, indexes: String?, isSynced: Bool, served: Int64)

    /// Returns whether two objects represent the same collection of the same `Database`.
    public static func == (left: Collection, right: Collection) -> Bool {
        left.database === right.database && left.number == right.number
    }

    /// Hashes the identity of the `Database` object and the collection's number.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(database))
        hasher.combine(number)
    }
}

extension Database {
    /// Returns every collection of every scope, in the order of their creation.
    func allCollections(_ connection: GRDB.Database) throws -> [Collection] {
        try connection.rows("SELECT number, scope, name FROM collections ORDER BY number") { row in
            Collection(
                self, number: try row.collectionNumber(at: 0),
                scope: try row.exactText(at: 1, "the stored name of a scope"),
                name: try row.exactText(at: 2, "the stored name of a collection"))
        }
    }
}

/// A scope: a namespace of collections. It exists while it has a collection; `_default` always exists.
public struct Scope: Sendable {
    /// The database that contains the scope.
    public let database: Database
    /// The scope's name.
    public let name: String
}
