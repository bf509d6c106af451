internal import GRDB

/// A write transaction that is under way, on the writer's connection: what it has changed so far and the buffers its
/// operations share. Used by one thread, the one that runs the transaction's closure.
final class Transaction {
    /// What has happened to one collection.
    struct CollectionState {
        /// The collection's number.
        let number: Int
        /// The last sequence given.
        var lastSequence: Int64
        /// The ids that were purged, as long as there aren't too many to list.
        var purgedIDs: [String] = []
        /// How many documents were purged.
        var purgeCount = 0
    }

    /// More purged ids than this are only counted.
    static let purgedIDLimit = 10_000

    let connection: GRDB.Database
    /// The database it belongs to.
    let database: Database
    /// The collections that were changed: seldom more than a few, so that looking through them is quickest.
    private(set) var collections: [CollectionState] = []
    /// Whether the set of collections changed.
    var changedCollectionList = false
    /// Whether a document's expiration was set.
    var changedExpirations = false
    /// Makes revision ids.
    var digester = RevisionDigester()

    init(_ connection: GRDB.Database, _ database: Database) {
        self.connection = connection
        self.database = database
    }

    @inline(__always)
    private func index(of collection: Collection) -> Int? {
        collections.firstIndex { $0.number == collection.number }
    }

    /// What has happened to a collection; nil when nothing has.
    func state(of collection: Collection) -> CollectionState? { index(of: collection).map { collections[$0] } }

    private func loadedIndex(_ collection: Collection) throws -> Int {
        if let index = index(of: collection) { return index }
        let last = try collection.lastSequence(connection)
        collections.append(CollectionState(number: collection.number, lastSequence: last))
        return collections.count - 1
    }

    /// Gives out the collection's next sequence.
    @inline(__always)
    func nextSequence(_ collection: Collection) throws -> Int64 {
        let index = try loadedIndex(collection)
        collections[index].lastSequence += 1
        return collections[index].lastSequence
    }

    /// Takes back the sequence that was given out last.
    func returnSequence(_ collection: Collection) {
        if let index = index(of: collection) { collections[index].lastSequence -= 1 }
    }

    /// Notes that a document was purged and makes sure that its sequence isn't given again.
    func notePurge(_ id: String, sequence: Int64, in collection: Collection) throws {
        let index = try loadedIndex(collection)
        let statement = try PreparedStatement(
            connection,
            "UPDATE collections SET sequence = max(sequence, ?2), purges = purges + 1 WHERE number = ?1")
        statement.bind(Int64(collection.number), at: 1)
        statement.bind(sequence, at: 2)
        try statement.run()
        collections[index].purgeCount += 1
        if collections[index].purgedIDs.count < Self.purgedIDLimit { collections[index].purgedIDs.append(id) }
    }

    /// Forgets a collection that was deleted.
    func forget(_ collection: Collection) {
        collections.removeAll { $0.number == collection.number }
        changedCollectionList = true
    }

    /// Whether SQLite still has the transaction open: some failures, such as a full disk, roll it back underneath.
    var isAlive: Bool { connection.isInsideTransaction }

    /// Runs `body` in a savepoint: what it changed is taken back when it throws.
    func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
        let before = (collections, changedCollectionList, changedExpirations)
        try connection.run("SAVEPOINT sealite")
        do {
            let result = try body()
            try connection.run("RELEASE sealite")
            return result
        } catch {
            (collections, changedCollectionList, changedExpirations) = before
            if isAlive {
                try connection.run("ROLLBACK TO sealite")
                try connection.run("RELEASE sealite")
            }
            throw error
        }
    }
}

extension GRDB.Database {
    /// Runs a statement without parameters or rows.
    func run(_ sql: String) throws {
        let statement = try PreparedStatement(self, sql)
        try statement.run()
    }

    /// The first column of a statement's first row, as an integer.
    func integer(_ sql: String) throws -> Int64 {
        let statement = try PreparedStatement(self, sql)
        return try statement.step() ? statement.int64(at: 0) : 0
    }
}
