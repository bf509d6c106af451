/// A write transaction in progress: its reads see its own changes, and its changes are stored when the closure that
/// received it returns, or not at all.
///
/// A transaction is valid only in the closure that receives it, on the thread that runs the closure. It can change
/// documents of several collections of one database.
public struct WriteTransaction: ~Copyable {
    let transaction: Transaction

    // Not inlined: the optimiser of Swift 6.3.1 crashes when it specialises a generic closure that creates a
    // noncopyable value.
    @inline(never)
    init(_ transaction: Transaction) { self.transaction = transaction }

    /// Checks that the collection is one of this transaction's database, and that the transaction is open.
    ///
    /// - Throws: `invalidParameter` for a collection of another database, `transactionLost`.
    func check(_ collection: Collection) throws(DatabaseError) {
        try transaction.requireAlive()
        guard collection.database === transaction.database else {
            throw DatabaseError(
                .invalidParameter,
                "the collection \"\(collection.fullName)\" belongs to another Database object than the transaction")
        }
    }

    /// Returns the document with an id; nil if there is none or it is deleted.
    ///
    /// - Throws: `invalidParameter` for a collection of another database, `notOpen` for a deleted collection.
    public func document(id: String, in collection: Collection) throws -> Document? {
        try check(collection)
        return try transaction.read(id, in: collection)
    }

    /// Saves a document, replacing the stored document if there is one, and updates the revision of `document`.
    ///
    /// - Returns: the document as saved.
    /// - Throws: the errors of `Collection.save(document:)`; then this call has changed nothing.
    @discardableResult
    public func save(_ document: MutableDocument, in collection: Collection) throws -> Document {
        try check(collection)
        return try Collection.saved(try collection.save(document, .lastWriteWins, transaction))
    }

    /// Saves a document; with `failOnConflict`, only if the stored document wasn't changed since `document` was read, or
    /// if no undeleted document has the ID of a new one.
    ///
    /// - Throws: the errors of `Collection.save(document:)`, and `transactionLost`; then no document is changed.
    @discardableResult
    public func save(
        _ document: MutableDocument, in collection: Collection, concurrencyControl: ConcurrencyControl
    ) throws -> SaveOutcome {
        try check(collection)
        return try collection.save(document, concurrencyControl, transaction)
    }

    /// Deletes the document with an id: a tombstone replaces it and replicates. A document that is deleted already is
    /// left unchanged.
    ///
    /// - Throws: `notFound` if neither the document nor its tombstone exists.
    public func delete(id: String, in collection: Collection) throws {
        try check(collection)
        _ = try collection.delete(id, nil, .lastWriteWins, transaction)
    }

    /// Deletes a document; with `failOnConflict`, only if it wasn't changed since it was read. A document that is
    /// deleted already is left unchanged, and the outcome is `saved`.
    ///
    /// - Throws: `notFound` if neither the document nor its tombstone exists.
    @discardableResult
    public func delete(
        _ document: Document, concurrencyControl: ConcurrencyControl = .lastWriteWins
    ) throws -> SaveOutcome {
        try check(document.collection)
        return try document.collection.delete(document, concurrencyControl, transaction)
    }

    /// Removes a document without leaving a tombstone; the removal doesn't replicate.
    ///
    /// - Throws: `notFound` if neither the document nor its tombstone exists.
    public func purge(id: String, in collection: Collection) throws {
        try check(collection)
        try collection.purge(id, transaction)
    }

    /// Stores a blob's content without a document that refers to it. Compaction deletes the content after a day if no
    /// document refers to it by then. As in a save of a document with the blob, nothing is done for a blob that was read
    /// from this database and whose content isn't stored.
    public func save(_ blob: Blob) throws {
        try transaction.requireAlive()
        try transaction.storeIfKnown(blob)
    }

    /// Runs `body` as a savepoint inside this transaction: its changes are rolled back if it throws.
    @discardableResult
    public func nested<Result>(_ body: (borrowing WriteTransaction) throws -> Result) throws -> Result {
        try transaction.nested { try body(WriteTransaction(transaction)) }
    }
}
