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
    public func delete(
        document: MutableDocument, concurrencyControl: ConcurrencyControl
    ) async throws -> SaveOutcome {
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
        guard let owner = document.base?.collection, owner != self else { return }
        throw DatabaseError(
            .invalidParameter,
            "the document belongs to the collection \"\(owner.fullName)\", which isn't the collection \"\(fullName)\" of this Database",
            hint: "use the collection of the Database object that the document was read from")
    }
}
