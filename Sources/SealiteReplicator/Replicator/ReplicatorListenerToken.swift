internal import Dispatch
internal import SealiteConcurrency

/// A listener that is registered. It is called no more for what happens after ``remove()``, or once nothing holds the token.
public final class ReplicatorListenerToken: Sendable {
    private let removal: @Sendable () -> Void

    /// Registers a listener that is called on a queue; on one of its own where there is none.
    init<Element: Sendable>(
        _ broadcast: Broadcast<Element>, _ queue: DispatchQueue?, _ listener: @escaping @Sendable (Element) -> Void
    ) {
        let queue = queue ?? DispatchQueue(label: "sealite.replicator.listener")
        removal = broadcast.add { element in queue.async { listener(element) } }
    }

    deinit { removal() }

    /// Ends the listener.
    public func remove() { removal() }
}
