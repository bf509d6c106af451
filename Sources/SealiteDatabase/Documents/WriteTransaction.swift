public import FoundationEssentials

/// A transaction that is under way: reads see what it has changed, and what it changes is stored when the closure that got it
/// returns, or not at all.
///
/// Used on the thread that runs the closure, and not after it. Documents of several collections, and of one database, take part.
public struct WriteTransaction: ~Copyable {
    let transaction: Transaction

    init(_ transaction: Transaction) { self.transaction = transaction }

    private func check(_ collection: Collection) throws(DatabaseError) {
        try transaction.requireAlive()
        guard collection.database === transaction.database else {
            throw DatabaseError(
                .invalidParameter,
                "the collection \"\(collection.fullName)\" is of another database than the transaction")
        }
    }

    /// Returns a document; nil when there is none or it is deleted.
    ///
    /// - Throws: `invalidParameter` for a collection of another database, `notOpen` when it was deleted.
    public func document(id: String, in collection: Collection) throws -> Document? {
        try check(collection)
        return try transaction.read(id, in: collection)
    }

    /// Saves a document on top of whatever is there and updates its revision.
    ///
    /// - Returns: the document as saved.
    /// - Throws: as `Collection.save(document:)`; then this call has changed nothing.
    @discardableResult
    public func save(_ document: MutableDocument, in collection: Collection) throws -> Document {
        try check(collection)
        return try Collection.saved(try collection.save(document, .lastWriteWins, transaction))
    }

    /// Saves a document, or says that it was changed since it was read.
    ///
    /// - Throws: as `Collection.save(document:)`; then this call has changed nothing.
    @discardableResult
    public func save(
        _ document: MutableDocument, in collection: Collection, concurrencyControl: ConcurrencyControl
    ) throws -> SaveOutcome {
        try check(collection)
        return try collection.save(document, concurrencyControl, transaction)
    }

    /// Deletes the document of an id: a tombstone takes its place, which replicates. One that is deleted already stays as it is.
    ///
    /// - Throws: `notFound` when there is neither the document nor its tombstone.
    public func delete(id: String, in collection: Collection) throws {
        try check(collection)
        _ = try collection.delete(id, nil, .lastWriteWins, transaction)
    }

    /// Deletes a document, or says that it was changed since it was read.
    ///
    /// - Throws: `notFound` when there is neither the document nor its tombstone.
    @discardableResult
    public func delete(
        _ document: Document, concurrencyControl: ConcurrencyControl = .lastWriteWins
    ) throws -> SaveOutcome {
        try check(document.collection)
        return try document.collection.delete(document, concurrencyControl, transaction)
    }

    /// Removes a document without a trace; nothing replicates.
    ///
    /// - Throws: `notFound` when there is none, tombstones included.
    public func purge(id: String, in collection: Collection) throws {
        try check(collection)
        try collection.purge(id, transaction)
    }

    /// Sets when a document purges itself, to the millisecond; nil for never.
    ///
    /// - Throws: `notFound` when there is no such document.
    public func setExpiration(_ expiration: Date?, id: String, in collection: Collection) throws {
        try check(collection)
        try collection.setExpiration(id, expiration, transaction)
    }

    /// Stores a blob's content, without a document that refers to it. Compaction removes it when none does after a day.
    public func save(_ blob: Blob) throws {
        try transaction.requireAlive()
        try transaction.store(blob)
    }

    /// Runs `body` as a transaction inside this one: what it changes is taken back when it throws.
    @discardableResult
    public func nested<Result>(_ body: (borrowing WriteTransaction) throws -> Result) throws -> Result {
        try transaction.nested { try body(WriteTransaction(transaction)) }
    }
}
