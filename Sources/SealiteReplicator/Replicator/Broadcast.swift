internal import Dispatch
internal import Synchronization

/// Tells many listeners and sequences the same.
final class Broadcast<Element: Sendable>: Sendable {
    private struct State {
        var sequences: [UInt64: AsyncStream<Element>.Continuation] = [:]
        var listeners: [UInt64: @Sendable (Element) -> Void] = [:]
        var lastID: UInt64 = 0
    }

    private let state = Mutex(State())

    func tell(_ element: Element) {
        let (sequences, listeners) = state.withLock { (Array($0.sequences.values), Array($0.listeners.values)) }
        for sequence in sequences { sequence.yield(element) }
        for listener in listeners { listener(element) }
    }

    /// What is told from now on; of what is not read, the newest `limit` are kept.
    func sequence(limit: Int) -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Element.self, bufferingPolicy: .bufferingNewest(limit))
        let id = state.withLock { state in
            state.lastID += 1
            state.sequences[state.lastID] = continuation
            return state.lastID
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.sequences.removeValue(forKey: id) }
        }
        return stream
    }

    func add(_ queue: DispatchQueue?, _ listener: @escaping @Sendable (Element) -> Void) -> ReplicatorListenerToken {
        let queue = queue ?? DispatchQueue(label: "sealite.replicator.listener")
        let id = state.withLock { state in
            state.lastID += 1
            state.listeners[state.lastID] = { element in queue.async { listener(element) } }
            return state.lastID
        }
        return ReplicatorListenerToken { [weak self] in
            self?.state.withLock { _ = $0.listeners.removeValue(forKey: id) }
        }
    }
}

/// A listener that is registered. It is called no more for what happens after ``remove()``, or once nothing holds the token.
public final class ReplicatorListenerToken: Sendable {
    private let removal: @Sendable () -> Void

    init(_ removal: @escaping @Sendable () -> Void) { self.removal = removal }

    deinit { removal() }

    /// Ends the listener.
    public func remove() { removal() }
}
