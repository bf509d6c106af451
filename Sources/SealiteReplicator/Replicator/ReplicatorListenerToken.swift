internal import Dispatch
internal import SealiteBase

/// The registration of a listener with a replicator. The listener isn't called for events after ``remove()``, or after
/// the token is released.
public final class ReplicatorListenerToken: Sendable {
    private let removal: @Sendable () -> Void

    /// Registers a listener that is called on `queue`; nil for a separate, serial queue.
    init<Element: Sendable>(
        _ broadcast: Broadcast<Element>, _ queue: DispatchQueue?, _ listener: @escaping @Sendable (Element) -> Void
    ) {
        let queue = queue ?? DispatchQueue(label: "sealite.replicator.listener")
        removal = broadcast.add { element in queue.async { listener(element) } }
    }

    deinit { removal() }

    /// Removes the listener. It isn't called for later events.
    public func remove() { removal() }
}
