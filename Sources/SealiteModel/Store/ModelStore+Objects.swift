internal import SealiteDatabase
internal import SealiteValues

// Operations on single objects.
extension ModelStore {
    // MARK: - Saving

    /// Saves an object, replacing the stored one if there is one. Members of the document that the type doesn't name
    /// are kept; saving an unchanged object creates no revision.
    ///
    /// - Returns: true if the document was changed.
    /// - Throws: `encodingFailed`, `badDocumentID`, `SchemaError.unfit` and `unknownType`, and errors of the storage;
    ///   then nothing is stored.
    @discardableResult
    public func save<M: Model>(_ object: M) throws -> Bool {
        let saving = try Saving(object, self)
        guard saving.isSimple else { return try database.write { try saving.run($0) } }
        return try saving.collection.replaceBody(id: saving.ids[0], saving.merged)
    }

    /// The asynchronous form of ``save(_:)``, which doesn't block the calling task's thread.
    @discardableResult
    public func save<M: Model>(_ object: M) async throws -> Bool {
        let saving = try Saving(object, self)
        guard saving.isSimple else { return try await database.write { try saving.run($0) } }
        return try await saving.collection.replaceBody(id: saving.ids[0], saving.merged)
    }

    // MARK: - Deleting

    /// Deletes an object; does nothing if it isn't stored.
    ///
    /// - Returns: true if it was deleted.
    @discardableResult
    public func delete<M: Model>(_ object: M) throws -> Bool { try delete(M.self, id: object.id) }

    /// The asynchronous form of ``delete(_:)``, which doesn't block the calling task's thread.
    @discardableResult
    public func delete<M: Model>(_ object: M) async throws -> Bool { try await delete(M.self, id: object.id) }

    /// Deletes the object with an ID; does nothing if there is none.
    ///
    /// - Returns: true if it was deleted.
    @discardableResult
    public func delete<M: Model>(_ type: M.Type, id: M.ID) throws -> Bool {
        guard let (_, collection) = try existingBinding(type) else { return false }
        let ids = try Self.documentIDs(type, id)
        return try database.write { try ModelStore.deleteFirst(of: ids, in: collection, $0) }
    }

    /// The asynchronous form of ``delete(_:id:)``, which doesn't block the calling task's thread.
    @discardableResult
    public func delete<M: Model>(_ type: M.Type, id: M.ID) async throws -> Bool {
        guard let (_, collection) = try existingBinding(type) else { return false }
        let ids = try Self.documentIDs(type, id)
        return try await database.write { try ModelStore.deleteFirst(of: ids, in: collection, $0) }
    }

    /// Deletes the first existing document among those with the given IDs.
    ///
    /// - Returns: false if none of them exists.
    private static func deleteFirst(
        of ids: [String], in collection: Collection, _ transaction: borrowing WriteTransaction
    ) throws -> Bool {
        for id in ids where try transaction.document(id: id, in: collection) != nil {
            try transaction.delete(id: id, in: collection)
            return true
        }
        return false
    }

    // MARK: - Reading

    /// Returns the object with an ID; nil if there is none.
    ///
    /// - Throws: `decodingFailed` if the document doesn't fit the type.
    public func object<M: Model>(_ type: M.Type, id: M.ID) throws -> M? {
        guard let (coder, collection) = try existingBinding(type) else { return nil }
        for key in try Self.documentIDs(type, id) {
            guard let document = try collection.document(id: key) else { continue }
            return try coder.object(id: key, body: document.body, in: database)
        }
        return nil
    }

    /// The asynchronous form of ``object(_:id:)``, which doesn't block the calling task's thread.
    public func object<M: Model>(_ type: M.Type, id: M.ID) async throws -> M? {
        guard let (coder, collection) = try existingBinding(type) else { return nil }
        for key in try Self.documentIDs(type, id) {
            guard let document = try await collection.document(id: key) else { continue }
            return try coder.object(id: key, body: document.body, in: database)
        }
        return nil
    }

    /// Returns the object that a link refers to; nil if it doesn't exist.
    ///
    /// - Throws: `decodingFailed` if the document doesn't fit the type.
    public func object<M: Model>(_ reference: Reference<M>) throws -> M? { try object(M.self, id: reference.id) }

    /// The asynchronous form of ``object(_:)``, which doesn't block the calling task's thread.
    public func object<M: Model>(_ reference: Reference<M>) async throws -> M? {
        try await object(M.self, id: reference.id)
    }

    /// Returns the document IDs under which an object with an ID may be stored. For a string that starts with `$` there
    /// are two: the escaped form, and the string itself.
    fileprivate static func documentIDs<M: Model>(_ type: M.Type, _ id: M.ID) throws -> [String] {
        let key = try ModelCoder<M>.documentID(id)
        guard let text = id as? String, text != key else { return [key] }
        return try DocumentKey.candidates(for: .string(text))
    }
}

/// An object that is being saved.
private struct Saving<M: Model>: Sendable {
    let collection: Collection
    /// The document IDs under which the object may be stored; the first one is used for a new object.
    let ids: [String]
    private let object: M
    private let coder: ModelCoder<M>
    private let encoded: EncodedValue

    init(_ object: M, _ store: ModelStore) throws {
        (coder, collection) = try store.binding(M.self)
        (self.object, encoded) = (object, try coder.body(of: object))
        ids = try ModelStore.documentIDs(M.self, object.id)
    }

    /// A Boolean value that says whether the object has no blobs, and only one possible document ID.
    var isSimple: Bool { encoded.blobs.isEmpty && ids.count == 1 }

    /// Saves the object in a transaction.
    @Sendable func run(_ transaction: borrowing WriteTransaction) throws -> Bool {
        let id = try ids.first { try transaction.document(id: $0, in: collection) != nil } ?? ids[0]
        guard !encoded.blobs.isEmpty else { return try collection.replaceBody(id: id, merged) }
        // The digest of a blob is a part of the body, and is known only after the blob is stored.
        for blob in encoded.blobs { try transaction.save(blob) }
        let body = try coder.body(of: object).body
        return try collection.replaceBody(id: id) { merged(body, $0) }
    }

    /// Returns the body to store, with those members of the stored body that the type doesn't have; nil if the stored
    /// body is equivalent.
    @Sendable func merged(_ stored: [UInt8]?) -> [UInt8]? { merged(encoded.body, stored) }

    private func merged(_ body: [UInt8], _ stored: [UInt8]?) -> [UInt8]? {
        guard let stored else { return body }
        return coder.merged(body, into: stored)
    }
}

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
