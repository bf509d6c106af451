internal import SealiteDatabase

/// A transaction in progress: its changes are stored when the closure that received it returns, or not at all. Reads
/// see its changes.
///
/// It is valid only in the closure, on the thread that runs the closure.
public struct ModelTransaction: ~Copyable {
    /// The store, whose methods on this thread take part in the transaction too.
    public let store: ModelStore

    init(_ store: ModelStore) { self.store = store }

    /// Saves an object, replacing the stored one if there is one, as `ModelStore.save(_:)` does.
    ///
    /// - Returns: true if the document was changed.
    @discardableResult
    public func save(_ object: some Model) throws -> Bool { try store.save(object) }

    /// Deletes an object; does nothing if it isn't stored.
    ///
    /// - Returns: true if it was deleted.
    @discardableResult
    public func delete(_ object: some Model) throws -> Bool { try store.delete(object) }

    /// Deletes the object with an ID; does nothing if there is none.
    ///
    /// - Returns: true if it was deleted.
    @discardableResult
    public func delete<M: Model>(_ type: M.Type, id: M.ID) throws -> Bool { try store.delete(type, id: id) }

    /// Returns the object with an ID; nil if there is none.
    public func object<M: Model>(_ type: M.Type, id: M.ID) throws -> M? { try store.object(type, id: id) }

    /// Returns the object that a link refers to; nil if it doesn't exist.
    public func object<M: Model>(_ reference: Reference<M>) throws -> M? { try store.object(reference) }

    /// Returns the objects of a type, as a query that can be filtered and sorted.
    public func objects<M: Model>(_ type: M.Type) -> ObjectQuery<M> { store.objects(type) }

    /// Runs `body` as a savepoint inside this transaction: its changes are rolled back if it throws.
    @discardableResult
    public func nested<Result>(_ body: (borrowing ModelTransaction) throws -> Result) throws -> Result {
        try store.write(body)
    }
}

extension ModelStore {
    /// Runs `body` as one transaction: all its changes are stored when it returns, and none if it throws. Inside
    /// another transaction of the same thread it is a savepoint.
    ///
    /// - Throws: the errors of `body`, and errors of the storage.
    @discardableResult
    public func write<Result>(_ body: (borrowing ModelTransaction) throws -> Result) throws -> Result {
        try database.write { _ in try body(ModelTransaction(self)) }
    }

    /// The asynchronous form of ``write(_:)``, which doesn't block the calling task's thread.
    @discardableResult
    public func write<Result: Sendable>(
        _ body: @Sendable (borrowing ModelTransaction) throws -> Result
    ) async throws -> Result {
        try await database.write { _ in try body(ModelTransaction(self)) }
    }
}
