public import Dispatch
internal import GRDB

extension Collection {
    /// The collection's changes from now on, as an asynchronous sequence.
    public var changes: CollectionChanges { CollectionChanges(self) }

    /// One document's changes from now on, as an asynchronous sequence.
    public func documentChanges(id: String) -> DocumentChanges { DocumentChanges(self, id) }

    /// Calls a listener with each change of the collection until the token is removed or released.
    ///
    /// - Parameters:
    ///   - queue: the queue on which the listener is called, one call at a time; nil for a separate serial queue.
    ///   - listener: called with the elements that ``changes`` would deliver.
    /// - Returns: the token that keeps the listener registered.
    public func addChangeListener(
        queue: DispatchQueue? = nil, listener: @escaping @Sendable (CollectionChange) -> Void
    ) -> ListenerToken {
        ListenerToken(changes, queue, listener)
    }

    /// Calls a listener with each change of a document until the token is removed or released.
    ///
    /// - Parameters:
    ///   - id: the document's id; the document need not exist yet.
    ///   - queue: the queue on which the listener is called, one call at a time; nil for a separate serial queue.
    ///   - listener: called with the elements that ``documentChanges(id:)`` would deliver.
    /// - Returns: the token that keeps the listener registered.
    public func addDocumentChangeListener(
        id: String, queue: DispatchQueue? = nil, listener: @escaping @Sendable (DocumentChange) -> Void
    ) -> ListenerToken {
        ListenerToken(documentChanges(id: id), queue, listener)
    }

    /// Returns the sequence of the last change of a document or of its tombstone; nil if there is neither.
    func sequence(of id: String, _ connection: GRDB.Database) throws -> Int64? {
        let statement = try PreparedStatement(connection, sql.selectHead)
        statement.bind(id, at: 1)
        return try statement.step() ? statement.int64(at: 1) : nil
    }
}
