public import Dispatch
internal import GRDB
internal import Synchronization

extension Collection {
    /// The collection's changes from now on, as an asynchronous sequence.
    public var changes: CollectionChanges { CollectionChanges(self) }

    /// One document's changes from now on, as an asynchronous sequence.
    public func documentChanges(id: String) -> DocumentChanges { DocumentChanges(self, id) }

    /// Calls a listener with each change of the collection until the token is removed or let go of.
    ///
    /// - Parameters:
    ///   - queue: where the listener is called, one call after the other; a queue of its own where there is none.
    ///   - listener: gets what ``changes`` would deliver.
    /// - Returns: the token that keeps the listener.
    public func addChangeListener(
        queue: DispatchQueue? = nil, listener: @escaping @Sendable (CollectionChange) -> Void
    ) -> ListenerToken {
        ListenerToken(changes, queue, listener)
    }

    /// Calls a listener with each change of a document until the token is removed or let go of.
    ///
    /// - Parameters:
    ///   - id: the document's id; there need not be such a document yet.
    ///   - queue: where the listener is called, one call after the other; a queue of its own where there is none.
    ///   - listener: gets what ``documentChanges(id:)`` would deliver.
    /// - Returns: the token that keeps the listener.
    public func addDocumentChangeListener(
        id: String, queue: DispatchQueue? = nil, listener: @escaping @Sendable (DocumentChange) -> Void
    ) -> ListenerToken {
        ListenerToken(documentChanges(id: id), queue, listener)
    }

    /// The sequence of a document's row; nil when there is none.
    func sequence(of id: String, _ connection: GRDB.Database) throws -> Int64? {
        let statement = try PreparedStatement(connection, sql.selectHead)
        statement.bind(id, at: 1)
        return try statement.step() ? statement.int64(at: 1) : nil
    }
}

/// A listener that is registered. It is called no more after ``remove()``, or once nothing holds the token.
public final class ListenerToken: Sendable {
    private let task: Task<Void, Never>
    private let isRemoved: RemovalFlag

    /// Shared with the task, which must not hold the token.
    private final class RemovalFlag: Sendable {
        let value = Atomic<Bool>(false)
    }

    /// Calls a listener with each element of a sequence.
    package init<Changes: AsyncSequence & Sendable>(
        _ changes: Changes, _ queue: DispatchQueue?, _ listener: @escaping @Sendable (Changes.Element) -> Void
    ) where Changes.Element: Sendable {
        let queue = queue ?? DispatchQueue(label: "sealite.listener")
        let isRemoved = RemovalFlag()
        self.isRemoved = isRemoved
        task = Task {
            // A failure to read ends the listener, as closing the database does: it has nobody to report to.
            _ = try? await Self.deliver(changes, queue, isRemoved, listener)
        }
    }

    deinit { remove() }

    /// Ends the listener. A call that is under way finishes.
    public func remove() {
        isRemoved.value.store(true, ordering: .relaxed)
        task.cancel()
    }

    private static func deliver<Changes: AsyncSequence & Sendable>(
        _ changes: Changes, _ queue: DispatchQueue, _ isRemoved: RemovalFlag,
        _ listener: @escaping @Sendable (Changes.Element) -> Void
    ) async throws where Changes.Element: Sendable {
        for try await change in changes {
            // Waits for the listener, so that a slow one gets fewer and larger changes.
            await withCheckedContinuation { continuation in
                queue.async {
                    if !isRemoved.value.load(ordering: .relaxed) { listener(change) }
                    continuation.resume()
                }
            }
        }
    }
}
