package import Dispatch
internal import Synchronization

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
