// Documents by their bodies alone, for layers above that read and write JSONB.
extension Collection {
    /// Replaces a document's body by one that is made of it, in one transaction or in the one that the thread is in.
    ///
    /// - Parameters:
    ///   - id: the document's ID.
    ///   - make: makes the new body, valid JSONB, of the stored one; of nil where there is no document. It returns nil where nothing is to change.
    /// - Returns: true where the document was saved.
    /// - Throws: as ``save(document:)-(MutableDocument)``, and what `make` throws.
    @discardableResult
    package func replaceBody(id: String, _ make: ([UInt8]?) throws -> [UInt8]?) throws -> Bool {
        try database.writer.perform(database) { try self.replaceBody(id, make, $0) }
    }

    /// The asynchronous form of ``replaceBody(id:_:)``, which doesn't block the calling task's thread.
    @discardableResult
    package func replaceBody(id: String, _ make: @Sendable ([UInt8]?) throws -> [UInt8]?) async throws -> Bool {
        try await database.writer.perform(database) { try self.replaceBody(id, make, $0) }
    }

    private func replaceBody(
        _ id: String, _ make: ([UInt8]?) throws -> [UInt8]?, _ transaction: Transaction
    ) throws -> Bool {
        let stored = try transaction.read(id, in: self)
        guard let body = try make(stored?.body) else { return false }
        let change = Transaction.Change(id: id, body: body, base: stored?.revision)
        _ = try Collection.saved(try transaction.store(change, in: self).map { .saved($0) } ?? .conflict(existing: nil))
        return true
    }
}
