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
