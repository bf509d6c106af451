public import FoundationEssentials
public import SealiteRevisions

// Asynchronous forms of methods, which don't block the calling task's thread.
extension Collection {
    /// The asynchronous form of ``delete(document:concurrencyControl:)``, which doesn't block the calling task's
    /// thread.
    ///
    /// - Throws: the errors of the synchronous form.
    @discardableResult
    public func delete(document: Document, concurrencyControl: ConcurrencyControl) async throws -> SaveOutcome {
        try checkOwner(of: document)
        return try await database.writer.perform(database) { try self.delete(document, concurrencyControl, $0) }
    }

    /// The asynchronous form of ``purge(document:)``, which doesn't block the calling task's thread.
    ///
    /// - Throws: the errors of the synchronous form.
    public func purge(document: Document) async throws {
        try checkOwner(of: document)
        try await purge(id: document.id)
    }

    /// The asynchronous form of ``documentExpiration(id:)``, which doesn't block the calling task's thread.
    ///
    /// - Throws: `notFound` if there is neither such a document nor its tombstone.
    public func documentExpiration(id: String) async throws -> Date? {
        try await database.read { try self.documentExpiration(id: id) }
    }

    /// The asynchronous form of ``revisions(id:)``, which doesn't block the calling task's thread.
    public func revisions(id: String) async throws -> [RevisionInfo] {
        try await database.read { try self.revisions(id: id) }
    }

    /// The asynchronous form of ``document(id:revision:)``, which doesn't block the calling task's thread.
    public func document(id: String, revision: RevisionID) async throws -> Document? {
        try await database.read { try self.document(id: id, revision: revision) }
    }

    /// The asynchronous form of ``conflictedDocumentIDs(limit:)``, which doesn't block the calling task's thread.
    public func conflictedDocumentIDs(limit: Int = 1000) async throws -> [String] {
        try await database.read { try self.conflictedDocumentIDs(limit: limit) }
    }

    /// The asynchronous form of ``delete(for:)``, which doesn't block the calling task's thread.
    ///
    /// - Throws: the errors of the synchronous form.
    public func delete<T: Identifiable>(for value: T) async throws {
        try await delete(id: DocumentCoding.id(of: value))
    }

    /// The asynchronous form of ``purge(for:)``, which doesn't block the calling task's thread.
    ///
    /// - Throws: the errors of the synchronous form.
    public func purge<T: Identifiable>(for value: T) async throws {
        try await purge(id: DocumentCoding.id(of: value))
    }
}
