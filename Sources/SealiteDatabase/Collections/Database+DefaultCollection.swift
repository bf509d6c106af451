// The default collection's methods, for a database that needs no other collection.
extension Database {
    /// Returns the document with an id in the default collection; nil if there is none or it is deleted.
    ///
    /// - Throws: the errors of `document(id:)`.
    public func document(id: String) throws -> Document? { try defaultCollection().document(id: id) }

    /// The asynchronous form of ``document(id:)``, which doesn't block the calling task's thread.
    public func document(id: String) async throws -> Document? {
        try await read { try self.defaultCollection() }.document(id: id)
    }

    /// Saves a document in the default collection.
    ///
    /// - Throws: the errors of `save(document:)`.
    @discardableResult
    public func save(document: MutableDocument) throws -> Document { try defaultCollection().save(document: document) }

    /// The asynchronous form of ``save(document:)``, which doesn't block the calling task's thread.
    @discardableResult
    public func save(document: MutableDocument) async throws -> Document {
        try await read { try self.defaultCollection() }.save(document: document)
    }

    /// Deletes a document of the default collection.
    ///
    /// - Throws: the errors of `delete(id:)`.
    public func delete(id: String) throws { try defaultCollection().delete(id: id) }

    /// The asynchronous form of ``delete(id:)``, which doesn't block the calling task's thread.
    public func delete(id: String) async throws {
        try await read { try self.defaultCollection() }.delete(id: id)
    }

    /// The number of documents in the default collection, not counting deleted documents.
    public var count: UInt64 { get throws { try defaultCollection().count } }

    /// Returns the number of documents in the default collection, not counting deleted documents, without blocking the
    /// calling task's thread.
    public func documentCount() async throws -> UInt64 { try await read { try self.defaultCollection().count } }
}

extension Collection {
    /// Returns the number of documents, not counting deleted documents, without blocking the calling task's thread.
    public func documentCount() async throws -> UInt64 { try await database.read { try self.count } }
}
