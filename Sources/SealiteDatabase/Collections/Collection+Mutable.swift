public import FoundationEssentials
public import SealiteRevisions

// Accepts documents to edit in place of immutable documents.
extension Collection {
    /// Deletes the stored document with the id of `document`, which was read to be edited; the edits aren't saved.
    ///
    /// - Throws: the errors of `delete(document:)`.
    public func delete(document: MutableDocument) throws {
        _ = try delete(document: document, concurrencyControl: .lastWriteWins)
    }

    /// The asynchronous form of ``delete(document:)-(MutableDocument)``, which doesn't block the calling task's thread.
    public func delete(document: MutableDocument) async throws {
        _ = try await delete(document: document, concurrencyControl: .lastWriteWins)
    }

    /// Deletes the stored document with the id of `document`, which was read to be edited; with `failOnConflict`, only
    /// if the stored document wasn't changed since then. A document that is deleted already is left unchanged, and the
    /// outcome is `saved`.
    ///
    /// - Throws: the errors of `delete(document:)`.
    @discardableResult
    public func delete(document: MutableDocument, concurrencyControl: ConcurrencyControl) throws -> SaveOutcome {
        try checkOwner(of: document)
        return try database.writer.perform(database) {
            try self.delete(document.id, document.base?.revision, concurrencyControl, $0)
        }
    }

    /// The asynchronous form of ``delete(document:concurrencyControl:)-(MutableDocument,_)``, which doesn't block the
    /// calling task's thread.
    @discardableResult
    public func delete(document: MutableDocument, concurrencyControl: ConcurrencyControl) async throws -> SaveOutcome {
        try checkOwner(of: document)
        return try await database.writer.perform(database) {
            try self.delete(document.id, document.base?.revision, concurrencyControl, $0)
        }
    }

    /// Removes the stored document with the id of `document`, which was read to be edited, without leaving a tombstone;
    /// the removal doesn't replicate.
    ///
    /// - Throws: the errors of `purge(document:)`.
    public func purge(document: MutableDocument) throws {
        try checkOwner(of: document)
        try purge(id: document.id)
    }

    /// The asynchronous form of ``purge(document:)-(MutableDocument)``, which doesn't block the calling task's thread.
    public func purge(document: MutableDocument) async throws {
        try checkOwner(of: document)
        try await purge(id: document.id)
    }

    private func checkOwner(of document: MutableDocument) throws(DatabaseError) {
        try checkOwner(document.base?.collection)
    }

    // MARK: - Asynchronous forms of methods, which don't block the calling task's thread

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
