public import FoundationEssentials

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

    /// Sets the time at which a document is purged automatically, with a precision of milliseconds; nil for never.
    ///
    /// - Throws: `notFound` if there is neither such a document nor its tombstone.
    public func setExpiration(_ expiration: Date?, id: String, in collection: Collection) throws {
        try check(collection)
        try collection.setExpiration(id, expiration, transaction)
    }
}

extension Database {
    /// Runs `body` as one transaction: all changes that `body` makes, including blobs, are stored when it returns, and
    /// none if it throws. Inside another transaction of the same thread, the call is a savepoint.
    ///
    /// `body` reads and changes documents by its argument; the methods of the database and its collections that it
    /// calls on the same thread are part of the transaction too. Meanwhile, writes of other threads wait, and reads of
    /// other threads don't see the changes.
    ///
    /// ```swift
    /// try database.write { transaction in
    ///     let account = try transaction.document(id: "account", in: accounts)?.toMutable() ?? MutableDocument(id: "account")
    ///     try transaction.save(account.setInt(account.int(forKey: "balance") - 10, forKey: "balance"), in: accounts)
    /// }
    /// ```
    /// - Throws: the errors of `body`, and errors of the storage: `busy`, `diskFull`, `transactionLost`, `notOpen`.
    @discardableResult
    public func write<Result>(_ body: (borrowing WriteTransaction) throws -> Result) throws -> Result {
        if let current = writer.current { return try current.nested { try body(WriteTransaction(current)) } }
        return try writer.perform(self) { try body(WriteTransaction($0)) }
    }

    /// Runs `body` as one transaction without blocking the calling task's thread; see `write(_:)`.
    ///
    /// If the task is cancelled before the transaction is committed, the method throws `cancelled` and nothing is
    /// stored: the running statement is interrupted, and each further call on the transaction fails. If the method
    /// returns, the changes are stored, also if the task was cancelled meanwhile.
    @discardableResult
    public func write<Result: Sendable>(
        _ body: @Sendable (borrowing WriteTransaction) throws -> Result
    ) async throws -> Result {
        try await writer.perform(self) { try body(WriteTransaction($0)) }
    }

    /// Runs `body` as one transaction, which includes the changes by methods of collections that `body` calls on this
    /// thread. This is Couchbase Lite's name for `write(_:)`.
    public func inBatch(using body: () throws -> Void) throws {
        try write { _ in try body() }
    }
}
