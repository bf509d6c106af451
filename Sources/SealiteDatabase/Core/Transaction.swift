internal import GRDB
internal import SealiteFile
internal import SealiteJSON
internal import SealiteRevisions

/// A write transaction in progress on the writer's connection: its changes so far, and the buffers that its operations
/// share. Used only by the thread that runs the transaction's closure.
final class Transaction {
    /// The state of one collection that the transaction changes.
    struct CollectionState {
        /// The collection's number.
        let number: Int
        /// The sequence that was assigned last to a change of the collection.
        var lastSequence: Int64
        /// The greatest number of a document or tombstone.
        var lastNumber: Int64
        /// The observers that maintain data derived from the collection's rows.
        var observers: [any RowObserver]
        /// A Boolean value that says whether an observer reads the properties that a row had before a change.
        var readsOldBodies: Bool { observers.contains { $0.readsOldBody } }
        /// A Boolean value that says whether a row is read with its body before it is replaced: an observer needs the body,
        /// or it may become the base of a delta.
        var readsBodies: Bool { servedSequence > 0 || readsOldBodies }
        /// The last sequence of the collection before the transaction.
        let sequenceBefore: Int64
        /// The sequence up to which peers had been served the documents before the transaction's first change of them.
        let servedSequence: Int64
        /// The states of documents before their changes, if a subscription needs them.
        var earlierStates: [EarlierState] = []
        var earlierByteCount = 0
        /// A Boolean value that says whether the transaction has purged documents, or recorded the states of documents
        /// before their changes; subscriptions receive both before the commit.
        var hasAnnouncements: Bool { !purges.isEmpty || !earlierStates.isEmpty }
        /// The number of purges in the collection before the transaction; set by the transaction's first purge.
        var purgesBefore: Int64 = 0
        /// The documents that the transaction purged, in order, of which at most `purgeListLimit` are listed.
        var purges: [PurgedDocument] = []
        /// The guards' checks for the collection's documents; nil until the next save needs them, also after
        /// `reloadSaveChecks()`.
        var saveChecks: [any DocumentSaveCheck]?
        /// The prepared statements that nearly every change of a document runs, as far as they were looked up.
        var statements = Statements()
    }

    /// Statements on one collection that are looked up once in a transaction, because the connection's cache finds them
    /// by their text, which costs more than binding them.
    struct Statements {
        var selectAll: GRDB.Statement?
        var update: GRDB.Statement?
    }

    /// The maximum number of documents purged by a transaction that are listed; further ones are only counted.
    static let purgeListLimit = 10_000

    let connection: GRDB.Database
    private let handle: ConnectionHandle
    /// The transaction's database.
    let database: Database
    /// The control that can stop the transaction; nil if nothing can.
    let control: WriteControl?
    private var watch: StatementWatch?
    /// The states of the collections that this transaction changes. A transaction rarely changes more than a few
    /// collections, so a linear search is fastest.
    private(set) var collections: [CollectionState] = []
    /// A Boolean value that says whether the transaction has changed the set of collections or of indexes.
    var changedSchema = false
    /// A Boolean value that says whether the transaction has changed the indexes of a collection.
    private(set) var changedIndexes = false
    /// The number of documents that the transaction has written to full-text indexes.
    var writtenTextCount = 0
    /// A Boolean value that says whether the transaction has set or removed the expiration of a document.
    var changedExpirations = false
    /// The number of bytes of bases of deltas that the transaction has stored.
    var addedBaseByteCount = 0
    /// A Boolean value that says whether the transaction has changed the tables of blobs.
    var changesBlobs = false
    /// A Boolean value that says whether saved documents count as replacements of whole documents, not as edits;
    /// subscriptions are informed of it.
    var isReplacing = false
    /// The state of per-document sync in this transaction.
    var sync = SyncTransactionState()
    /// The row of the document that was read last, because most reads are followed by a save of the document. Every
    /// change of a row clears this value.
    var lastRead: (collection: Int, id: String, head: DocumentHead, body: [UInt8]?)?
    /// Computes the ids of new revisions in a database of revision trees.
    var digester = RevisionDigester()
    /// The source and clock of new versions; nil until a version is made, or a peer's version is seen.
    private var versionStamp: VersionStamp?
    /// The guards that check the documents that this transaction saves locally.
    var guards: [any DocumentGuard]
    /// The outcome, pending until it is known, of the innermost transaction that a caller has opened inside this one,
    /// or of this transaction itself. It determines whether changes made now are kept.
    private(set) var outcome = TransactionOutcome()

    init(_ connection: GRDB.Database, _ database: Database, _ control: WriteControl?) {
        self.connection = connection
        let handle = ConnectionHandle(connection)
        self.handle = handle
        self.database = database
        self.control = control
        watch = control.flatMap { handle.watch($0.statements) }
        assert(handle.isInsideTransaction, "a transaction begins before its object")
        guards = database.currentGuards
    }

    @inline(__always)
    private func index(of collection: Collection) -> Int? {
        collections.firstIndex { $0.number == collection.number }
    }

    /// Returns the state of a collection that this transaction changes; nil if it has changed nothing in the
    /// collection.
    func state(of collection: Collection) -> CollectionState? { index(of: collection).map { collections[$0] } }

    /// Reads the state of a collection that this transaction is about to change, unless it has.
    func load(_ collection: Collection) throws { _ = try loadedIndex(collection) }

    private func loadedIndex(_ collection: Collection) throws -> Int {
        assert(collection.database === database, "a transaction changes its own database")
        if let index = index(of: collection) { return index }
        let last = try collection.lastRow(connection)
        collections.append(
            CollectionState(
                number: collection.number, lastSequence: last.sequence, lastNumber: last.number,
                observers: try makeObservers(of: collection, last), sequenceBefore: last.sequence,
                servedSequence: max(last.served, database.served.sequence(collection.number))))
        return collections.count - 1
    }

    private func makeObservers(of collection: Collection, _ last: Collection.LastRow) throws -> [any RowObserver] {
        var observers: [any RowObserver] = []
        for part in database.parts { observers += try part.observers(of: collection, last, in: self) }
        return observers
    }

    /// Creates the observers of a collection again after a change of its indexes, and records that the transaction has
    /// changed the set of indexes.
    func reloadObservers(of collection: Collection) throws {
        (changedSchema, changedIndexes) = (true, true)
        try renewObservers(of: collection)
    }

    /// Creates the observers of a collection again, after this transaction changed a setting on which they depend.
    func renewObservers(of collection: Collection) throws {
        guard let index = index(of: collection) else { return }
        collections[index].observers = try makeObservers(of: collection, try collection.lastRow(connection))
    }

    /// Returns the statement that reads the row of a document of a collection by the document's id.
    @inline(__always)
    func readingStatement(_ collection: Collection) throws -> PreparedStatement {
        guard let index = index(of: collection) else {
            return try PreparedStatement(connection, collection.sql.selectAll)
        }
        if let statement = collections[index].statements.selectAll { return PreparedStatement(statement) }
        let statement = try PreparedStatement(connection, collection.sql.selectAll)
        collections[index].statements.selectAll = statement.owner
        return statement
    }

    /// Returns the statement that replaces a document's row without a change of the row's number.
    @inline(__always)
    func updatingStatement(_ collection: Collection) throws -> PreparedStatement {
        let index = try loadedIndex(collection)
        if let statement = collections[index].statements.update { return PreparedStatement(statement) }
        let statement = try PreparedStatement(connection, collection.sql.update)
        collections[index].statements.update = statement.owner
        return statement
    }

    /// Records the state of a document before its change, unless the recorded states take too much memory.
    func note(_ state: EarlierState, in collection: Collection) {
        guard let index = index(of: collection), collections[index].earlierByteCount < EarlierState.byteLimit else {
            return
        }
        collections[index].earlierStates.append(state)
        collections[index].earlierByteCount += state.byteCount
    }

    /// Assigns and returns the collection's next sequence.
    @inline(__always)
    func nextSequence(_ collection: Collection) throws -> Int64 {
        let index = try loadedIndex(collection)
        collections[index].lastSequence += 1
        assert(collections[index].lastSequence > collections[index].sequenceBefore, "a change has a new sequence")
        return collections[index].lastSequence
    }

    /// Assigns and returns the collection's next document number and sequence.
    @inline(__always)
    func nextRow(_ collection: Collection) throws -> (number: Int64, sequence: Int64) {
        let index = try loadedIndex(collection)
        collections[index].lastSequence += 1
        collections[index].lastNumber += 1
        assert(collections[index].lastSequence > collections[index].sequenceBefore, "a change has a new sequence")
        return (collections[index].lastNumber, collections[index].lastSequence)
    }

    /// Releases the document number and the sequence that were assigned last, so that the next change gets them.
    func returnRow(_ collection: Collection) {
        guard let index = index(of: collection) else { return }
        assert(
            collections[index].lastSequence > collections[index].sequenceBefore, "only what was assigned is returned")
        collections[index].lastSequence -= 1
        collections[index].lastNumber -= 1
    }

    /// Returns the sequence up to which peers may have been served the documents of a collection.
    func servedSequence(_ collection: Collection) throws -> Int64 {
        max(collections[try loadedIndex(collection)].servedSequence, database.served.sequence(collection.number))
    }

    /// Returns the observers that maintain data derived from a collection's rows.
    @inline(__always)
    func observers(of collection: Collection) throws -> [any RowObserver] {
        collections[try loadedIndex(collection)].observers
    }

    /// Returns the guards' checks for a collection's documents, which are created at the first call.
    func saveChecks(of collection: Collection) throws -> [any DocumentSaveCheck] {
        if let checks = collections[try loadedIndex(collection)].saveChecks { return checks }
        let checks = try guards.compactMap { try $0.check(of: collection) }
        collections[try loadedIndex(collection)].saveChecks = checks
        return checks
    }

    /// Discards the guards' checks, which are created again on demand.
    func reloadSaveChecks() {
        for index in collections.indices { collections[index].saveChecks = nil }
    }

    /// Records the purge of a document, and makes sure that the sequence of the removed row isn't assigned again.
    func notePurge(_ document: PurgedDocument, sequence: Int64, in collection: Collection) throws {
        let index = try loadedIndex(collection)
        let statement = try PreparedStatement(
            connection,
            """
            UPDATE collections SET sequence = max(sequence, ?2), purges = purges + 1 WHERE number = ?1 RETURNING purges
            """, collection.number, sequence)
        guard try statement.step() else { return }
        let purges = try statement.number(
            at: 0, "the stored count of purges in the collection \"\(collection.fullName)\"")
        try statement.run()
        if collections[index].purges.isEmpty { collections[index].purgesBefore = purges - 1 }
        if collections[index].purges.count < Self.purgeListLimit { collections[index].purges.append(document) }
    }

    /// Discards the state of a collection that was deleted, and records that the transaction has changed the set of
    /// collections.
    func forget(_ collection: Collection) {
        collections.removeAll { $0.number == collection.number }
        changedSchema = true
    }

    /// A Boolean value that says whether SQLite still has the transaction open. Some failures, such as a full disk,
    /// roll it back implicitly.
    var isAlive: Bool { handle.isInsideTransaction }

    /// Ends the watch over the connection's statements, which would also end COMMIT or ROLLBACK.
    func endWatch() { watch.take()?.end() }

    /// Checks that the transaction is still open, and that its control doesn't stop it. If it weren't open, SQLite would
    /// commit each later change immediately, on its own.
    ///
    /// - Throws: `cancelled` if the control stops it, `transactionLost` if SQLite has rolled the transaction back.
    @inline(__always)
    func requireAlive() throws(DatabaseError) {
        if let control { try control.requireNotStopped() }
        guard isAlive else {
            throw DatabaseError(
                .transactionLost, "the transaction was rolled back by a failure inside it; nothing was stored")
        }
    }

    /// Runs a caller's `body` as a transaction inside this one: its changes are rolled back if it throws.
    func nested<Result>(_ body: () throws -> Result) throws -> Result {
        assert(outcome.pending != nil, "a transaction inside another begins while that one is open")
        let outer = outcome
        outcome = TransactionOutcome(inside: outer)
        defer { outcome = outer }
        do {
            let result = try savepoint(body)
            outcome.end()
            return result
        } catch {
            outcome.undo()
            throw error
        }
    }

    /// Runs `body` in a savepoint, which is rolled back if it throws.
    func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
        try requireAlive()
        let before = (collections, changedSchema, changedIndexes, changedExpirations)
        try connection.run("SAVEPOINT sealite")
        do {
            let result = try body()
            try connection.run("RELEASE sealite")
            assert(isAlive, "a savepoint ends within its transaction")
            return result
        } catch {
            (collections, changedSchema, changedIndexes, changedExpirations) = before
            lastRead = nil
            dropVersionStamp()
            if isAlive {
                try connection.run("ROLLBACK TO sealite")
                try connection.run("RELEASE sealite")
            }
            throw error
        }
    }

    // MARK: - Versions

    /// Runs `body` with the version stamp of this transaction, the source and clock of its new versions. The stamp is
    /// created if there is none.
    func withVersionStamp<Result>(_ body: (inout VersionStamp) throws -> Result) throws -> Result {
        var stamp = try versionStamp ?? database.versionClock.stamp(in: connection)
        defer { versionStamp = stamp }
        return try body(&stamp)
    }

    /// Stores the clock of the versions that this transaction has made, so that the versions of later transactions get
    /// later times. Called before the commit; does nothing if no version was made.
    func storeVersionClock() throws {
        guard var stamp = versionStamp else { return }
        try stamp.store(in: connection)
        versionStamp = stamp
        dropVersionStamp()
    }

    /// Gives the database a new source id for its versions, with the clock going on.
    func renewSource() throws {
        try storeVersionClock()
        try VersionStamp.renewSource(database.configuration.sourcePlace(database.opener.path), in: connection)
    }

    /// Discards the transaction's version stamp, the source and clock of its new versions, because the values that it
    /// stored may be rolled back. The database keeps the stamp's clock.
    func dropVersionStamp() {
        guard let stamp = versionStamp else { return }
        database.versionClock.keep(stamp.clock)
        versionStamp = nil
    }

    // MARK: - Reading the rows of documents

    /// Returns the columns of the row of a document or tombstone besides its body; nil if there is no such row.
    func head(_ id: String, in collection: Collection) throws -> DocumentHead? {
        if let lastRead, lastRead.collection == collection.number, ExactText.areSame(lastRead.id, id) {
            return lastRead.head
        }
        let readsBody = index(of: collection).map { collections[$0].readsBodies } ?? false
        let statement =
            readsBody
            ? try readingStatement(collection) : try PreparedStatement(connection, collection.sql.selectHead)
        statement.bind(id, at: 1)
        guard try statement.step() else { return nil }
        let head = try statement.head()
        if readsBody { lastRead = (collection.number, id, head, statement.bytes(at: 5)) }
        return head
    }

    /// Returns the properties of a document's current revision in JSONB; nil for a tombstone without properties.
    func body(_ head: DocumentHead, in collection: Collection) throws -> [UInt8]? {
        try connection.first(collection.sql.selectBody, head.key) { $0.bytes(at: 0) }
    }
}

extension PreparedStatement {
    /// Returns the columns of a row that `CollectionSQL.selectHead` or `selectAll` found.
    ///
    /// - Throws: `corruptData` if the number, the sequence or the revision id is damaged.
    @inline(__always)
    borrowing func head() throws -> DocumentHead {
        DocumentHead(
            number: abs(try documentNumber(at: 0)), sequence: try sequence(at: 1),
            flags: RowFlags(rawValue: int64(at: 2)),
            revision: try revision(at: 3), tree: bytes(at: 4))
    }

    /// Returns the revision id in a column.
    ///
    /// - Throws: `corruptData` if it is damaged.
    @inline(__always)
    borrowing func revision(at column: CInt) throws -> RevisionID {
        let revision = withBytes(at: column) { RevisionID(stored: $0, from: 0, to: $0.count) }
        guard let revision else { throw DatabaseError(.corruptData, "a stored revision id is damaged") }
        return revision
    }
}

/// The state of per-document sync in one transaction.
struct SyncTransactionState {
    /// A Boolean value that says whether the transaction writes through per-document sync: inserted documents become
    /// synced documents.
    var isWriting = false
    /// The remote's revision in the conflict that is being resolved: its properties in JSONB, and whether it deletes
    /// the document; nil if no conflict is being resolved.
    var theirs: (body: [UInt8], isDeleted: Bool)?
    /// The changes that the transaction has made to the per-document sync of collections, by the collections' numbers.
    private(set) var news: [Int: SyncChanges] = [:]
    /// A Boolean value for each collection, by its number, that says whether the collection takes part, or took part,
    /// in per-document sync; only for collections for which this was determined.
    var synced: [Int: Bool] = [:]

    /// Records changes to the per-document sync of a collection, in addition to those recorded before.
    mutating func note(_ new: SyncChanges, of collection: Collection) {
        news[collection.number, default: []].insert(new)
    }
}

/// The changes that a transaction made to the per-document sync of a collection.
package struct SyncChanges: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Synced documents were added or removed, or their revisions at the remote have to be looked up.
    package static let documents = SyncChanges(rawValue: 1)
    /// Events were stored that are to be delivered to the application.
    package static let events = SyncChanges(rawValue: 2)
}
