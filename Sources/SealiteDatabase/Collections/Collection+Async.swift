public import FoundationEssentials
public import SealiteRevisions

// What the methods of the same names do, without blocking the calling task's thread.
extension Collection {
    /// Deletes a document, or says that it was changed meanwhile.
    ///
    /// - Throws: as the other.
    @discardableResult
    public func delete(document: Document, concurrencyControl: ConcurrencyControl) async throws -> SaveOutcome {
        try checkOwner(of: document)
        return try await database.writer.perform(database) { try self.delete(document, concurrencyControl, $0) }
    }

    /// Removes a document without a trace; nothing replicates.
    ///
    /// - Throws: as the other.
    public func purge(document: Document) async throws {
        try checkOwner(of: document)
        try await purge(id: document.id)
    }

    /// When a document purges itself; nil for never.
    ///
    /// - Throws: `notFound` when there is no such document.
    public func getDocumentExpiration(id: String) async throws -> Date? {
        try await database.read { try self.getDocumentExpiration(id: id) }
    }

    /// The remembered revisions of a document, the current one first; none when there is no such document.
    public func revisions(id: String) async throws -> [RevisionInfo] {
        try await database.read { try self.revisions(id: id) }
    }

    /// The document as a remembered revision had it; nil when the revision isn't known or its properties aren't kept.
    public func document(id: String, revision: RevisionID) async throws -> Document? {
        try await database.read { try self.document(id: id, revision: revision) }
    }

    /// The ids of documents with a conflict that waits for resolution, in order of sequence.
    public func conflictedDocumentIDs(limit: Int = 1000) async throws -> [String] {
        try await database.read { try self.conflictedDocumentIDs(limit: limit) }
    }

    /// Deletes the document of a value.
    ///
    /// - Throws: as the other.
    public func delete<T: Identifiable>(for value: T) async throws {
        try await delete(id: DocumentCoding.id(of: value))
    }

    /// Removes the document of a value without a trace.
    ///
    /// - Throws: as the other.
    public func purge<T: Identifiable>(for value: T) async throws {
        try await purge(id: DocumentCoding.id(of: value))
    }
}
