public import FoundationEssentials
internal import GRDB
internal import SealiteBase

extension Collection {
    /// Sets the time at which a document is purged automatically, with a precision of milliseconds; nil for never. A
    /// tombstone can have an expiration time too. The document's revision and sequence don't change. Later saves and
    /// deletions of the document keep the time.
    ///
    /// Any `Database` on the file purges the document: the object whose method set the time purges it on time, another
    /// `Database` object (for example in another process) within a minute, and an object that is opened later purges it
    /// when it is opened.
    ///
    /// - Throws: `notFound` if there is neither such a document nor its tombstone.
    public func setDocumentExpiration(id: String, expiration: Date?) throws {
        try database.writer.perform(database) { try self.setExpiration(id, expiration, $0) }
    }

    /// The asynchronous form of ``setDocumentExpiration(id:expiration:)``, which doesn't block the calling task's
    /// thread.
    public func setDocumentExpiration(id: String, expiration: Date?) async throws {
        try await database.writer.perform(database) { try self.setExpiration(id, expiration, $0) }
    }

    func setExpiration(_ id: String, _ expiration: Date?, _ transaction: Transaction) throws {
        guard try transaction.setExpiration(id, expiration.map(Milliseconds.of), in: self) else {
            throw DatabaseError(.notFound, "there is no document \"\(id)\" whose expiration could be set")
        }
    }

    /// Returns the time at which a document is purged automatically; nil for never.
    ///
    /// - Throws: `notFound` if there is neither such a document nor its tombstone.
    public func documentExpiration(id: String) throws -> Date? {
        try database.reading { connection in
            let statement = try PreparedStatement(
                connection, "SELECT expires FROM \(self.sql.table) WHERE id = ?1", id)
            guard try statement.step() else { throw DatabaseError(.notFound, "there is no document \"\(id)\"") }
            return statement.optionalInt64(at: 0).map(Milliseconds.date)
        }
    }

    /// Returns the ids of at most `limit` documents and tombstones of the collection that have expired at the time
    /// `now`, in milliseconds since 1970.
    func expiredIDs(_ connection: GRDB.Database, now: Int64, limit: Int) throws -> [String] {
        try connection.rows(
            "SELECT id FROM \(sql.table) WHERE expires IS NOT NULL AND expires <= ?1 LIMIT ?2", now, limit
        ) { $0.text(at: 0) }
    }
}

extension Database {
    /// Purges the expired documents of all collections, at most a thousand of each collection in one transaction. The
    /// database does this automatically; the method is for programs that need it done immediately.
    ///
    /// - Returns: the number of documents that were purged.
    /// - Throws: `databaseTooNew` if a collection with expired documents has an index that this program can't maintain,
    ///   `indexNotCurrent` if it has an index that must be rebuilt; the expired documents of the other collections are
    ///   purged.
    @discardableResult
    public func purgeExpiredDocuments() throws -> Int {
        var purged = 0
        while true {
            let (count, refusal) = try writer.perform(self) { try self.purgeExpired($0) }
            purged += count
            if count == 0 {
                if let refusal { throw refusal }
                return purged
            }
        }
    }

    private func purgeExpired(_ transaction: Transaction) throws -> (count: Int, refusal: DatabaseError?) {
        var (count, refusal): (Int, DatabaseError?) = (0, nil)
        let now = configuration.time.unixMilliseconds
        for collection in try allCollections(transaction.connection) {
            do {
                let ids = try collection.expiredIDs(transaction.connection, now: now, limit: 1000)
                for id in ids where try transaction.purge(id, in: collection) { count += 1 }
            } catch let error as DatabaseError where [.databaseTooNew, .indexNotCurrent].contains(error.code) {
                refusal = error
            }
        }
        return (count, refusal)
    }

    /// Returns the earliest expiration of a document in any collection, in milliseconds since 1970; nil if no document
    /// expires.
    func nextExpiration() throws -> Int64? {
        // In one snapshot: outside of it, each statement after the creation of a collection by another thread would parse
        // the schema anew.
        try read {
            try reading { connection in
                let numbers = try Self.collectionNumbers(connection)
                return try stride(from: 0, to: numbers.count, by: Self.expirationGroup).compactMap { start in
                    try Self.nextExpiration(numbers[start...].prefix(Self.expirationGroup), connection)
                }.min()
            }
        }
    }

    /// Returns the earliest expiration as ``nextExpiration()`` does, on a connection that is being opened; nil if it isn't
    /// read, because there are many collections or reading fails.
    static func nextExpiration(atOpeningOf connection: GRDB.Database) -> Int64?? {
        do {
            let numbers = try collectionNumbers(connection)
            return numbers.count > collectionsAtOpening ? nil : .some(try nextExpiration(numbers[...], connection))
        } catch {
            return nil
        }
    }

    /// The greatest number of collections whose expirations are read before the database is open.
    private static let collectionsAtOpening = 8

    private static func collectionNumbers(_ connection: GRDB.Database) throws -> [Int] {
        try connection.rows("SELECT number FROM collections") { try $0.collectionNumber(at: 0) }
    }

    /// The number of collections whose expirations one statement reads: compiling a statement for each takes several
    /// times as long.
    private static let expirationGroup = 100

    private static func nextExpiration(
        _ collections: ArraySlice<Int>, _ connection: GRDB.Database
    ) throws -> Int64? {
        let each = collections.map { "SELECT min(expires) AS next FROM documents_\($0) WHERE expires IS NOT NULL" }
        let statement = try PreparedStatement(
            once: "SELECT min(next) FROM (\(each.joined(separator: " UNION ALL ")))", connection)
        return try statement.step() ? statement.optionalInt64(at: 0) : nil
    }
}
