// Access to documents by their bodies alone, for higher layers that read and write JSONB.
extension Collection {
    /// Replaces a document's body, its properties in JSONB, by one that is made from it, in one transaction, or in the
    /// transaction of the calling thread.
    ///
    /// - Parameters:
    ///   - id: the document's id.
    ///   - make: makes the new body, valid JSONB, from the stored one, or from nil if there is no document. It returns
    ///     nil to change nothing.
    /// - Returns: true if the document was saved; false if `make` returned nil.
    /// - Throws: the errors of ``save(document:)-(MutableDocument)``, and the errors of `make`.
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
