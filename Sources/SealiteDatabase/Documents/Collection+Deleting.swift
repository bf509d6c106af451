internal import SealiteRevisions

// Deleting leaves a tombstone that is replicated to peers; purging leaves nothing.
extension Collection {
    // MARK: - Deleting

    /// Deletes a document: a tombstone replaces it and replicates. A document that is deleted already is left
    /// unchanged.
    ///
    /// - Throws: `notFound` if neither the document nor its tombstone exists, `invalidParameter` for a document of
    ///   another collection.
    public func delete(document: Document) throws {
        _ = try delete(document: document, concurrencyControl: .lastWriteWins)
    }

    /// The asynchronous form of `delete(document:)`, which doesn't block the calling task's thread.
    public func delete(document: Document) async throws {
        try checkOwner(of: document)
        _ = try await database.writer.perform(database) { try self.delete(document, .lastWriteWins, $0) }
    }

    /// Deletes a document; with `failOnConflict`, only if it wasn't changed since it was read. A document that is
    /// deleted already is left unchanged, and the outcome is `saved`.
    ///
    /// - Throws: the errors of `delete(document:)`.
    @discardableResult
    public func delete(document: Document, concurrencyControl: ConcurrencyControl) throws -> SaveOutcome {
        try checkOwner(of: document)
        return try database.writer.perform(database) { try self.delete(document, concurrencyControl, $0) }
    }

    /// Deletes the document with an id: a tombstone replaces it and replicates. A document that is deleted already is
    /// left unchanged.
    ///
    /// - Throws: `notFound` if neither the document nor its tombstone exists.
    public func delete(id: String) throws {
        try database.writer.perform(database) { _ = try self.delete(id, nil, .lastWriteWins, $0) }
    }

    /// The asynchronous form of ``delete(id:)``, which doesn't block the calling task's thread.
    public func delete(id: String) async throws {
        try await database.writer.perform(database) { _ = try self.delete(id, nil, .lastWriteWins, $0) }
    }

    func checkOwner(of document: Document) throws(DatabaseError) { try checkOwner(document.collection) }

    /// Checks that a document to change is of this collection.
    ///
    /// - Parameters:
    ///   - owner: the collection of the document; nil for a document that was never saved.
    ///   - hint: the hint of the error.
    /// - Throws: `invalidParameter` if it is of another one.
    func checkOwner(
        _ owner: Collection?,
        hint: String = "use the collection of the Database object that the document was read from"
    ) throws(DatabaseError) {
        guard let owner, owner != self else { return }
        throw DatabaseError(
            .invalidParameter,
            "the document belongs to the collection \"\(owner.fullName)\", which isn't the collection \"\(fullName)\" of this Database",
            hint: hint)
    }

    func delete(_ document: Document, _ control: ConcurrencyControl, _ transaction: Transaction) throws -> SaveOutcome {
        try delete(document.id, document.revision, control, transaction)
    }

    func delete(
        _ id: String, _ base: RevisionID?, _ control: ConcurrencyControl, _ transaction: Transaction
    ) throws -> SaveOutcome {
        if let existing = try document(id, transaction.connection, includingDeleted: true), existing.isDeleted {
            // The document is deleted already; another tombstone would carry no information.
            return .saved(existing)
        }
        var change = Transaction.Change(id: id, body: Document.emptyBody, isDeleted: true)
        change.base = base
        change.control = control
        guard let tombstone = try transaction.store(change, in: self) else {
            return .conflict(existing: try self.document(id, transaction.connection))
        }
        return .saved(tombstone)
    }

    // MARK: - Purging

    /// Removes a document without leaving a tombstone; the removal doesn't replicate.
    ///
    /// - Throws: `notFound` if neither the document nor its tombstone exists.
    public func purge(id: String) throws {
        try database.writer.perform(database) { try self.purge(id, $0) }
    }

    /// The asynchronous form of ``purge(id:)``, which doesn't block the calling task's thread.
    public func purge(id: String) async throws {
        try await database.writer.perform(database) { try self.purge(id, $0) }
    }

    /// Removes a document without leaving a tombstone; the removal doesn't replicate.
    ///
    /// - Throws: `notFound` if neither the document nor its tombstone exists, `invalidParameter` for a document of
    ///   another collection.
    public func purge(document: Document) throws {
        try checkOwner(of: document)
        try purge(id: document.id)
    }

    func purge(_ id: String, _ transaction: Transaction) throws {
        guard try transaction.purge(id, in: self) else {
            throw DatabaseError(.notFound, "there is no document \"\(id)\" to purge")
        }
    }
}
