public import Dispatch
internal import GRDB
internal import Synchronization

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
        try connection.first(sql.selectHead, id) { $0.int64(at: 1) }
    }
}

/// A token of a registered listener. The listener isn't called after ``remove()``, or after the last reference to the
/// token is released.
public final class ListenerToken: Sendable {
    private let task: Task<Void, Never>
    private let isRemoved: RemovalFlag

    /// A flag that says whether the listener was removed. The task shares it, since it must not hold the token itself.
    private final class RemovalFlag: Sendable {
        let value = Atomic<Bool>(false)
    }

    /// Creates a token, and calls a listener with each element of an asynchronous sequence until the token is removed
    /// or released. The calls are made on `queue`; with nil, on a separate serial queue.
    package init<Changes: AsyncSequence & Sendable>(
        _ changes: Changes, _ queue: DispatchQueue?, _ listener: @escaping @Sendable (Changes.Element) -> Void
    ) where Changes.Element: Sendable {
        let queue = queue ?? DispatchQueue(label: "sealite.listener")
        let isRemoved = RemovalFlag()
        self.isRemoved = isRemoved
        task = Task {
            // A read failure ends the listener, as closing the database does, because a listener has no way to receive
            // an error.
            _ = try? await Self.deliver(changes, queue, isRemoved, listener)
        }
    }

    deinit { remove() }

    /// Ends the calls of the listener. A call in progress finishes.
    public func remove() {
        isRemoved.value.store(true, ordering: .relaxed)
        task.cancel()
    }

    private static func deliver<Changes: AsyncSequence & Sendable>(
        _ changes: Changes, _ queue: DispatchQueue, _ isRemoved: RemovalFlag,
        _ listener: @escaping @Sendable (Changes.Element) -> Void
    ) async throws where Changes.Element: Sendable {
        for try await change in changes {
            // Waiting for the listener merges changes, so that a slow listener gets fewer and larger ones.
            await withCheckedContinuation { continuation in
                queue.async {
                    if !isRemoved.value.load(ordering: .relaxed) { listener(change) }
                    continuation.resume()
                }
            }
        }
    }
}
