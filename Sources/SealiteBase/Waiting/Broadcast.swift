internal import Synchronization

/// An object that sends each element to any number of registered listeners and asynchronous sequences.
package final class Broadcast<Element: Sendable>: Sendable {
    private struct State {
        var sequences: [UInt64: AsyncStream<Element>.Continuation] = [:]
        var listeners: [UInt64: @Sendable (Element) -> Void] = [:]
        var lastID: UInt64 = 0

        mutating func nextID() -> UInt64 {
            lastID += 1
            return lastID
        }
    }

    private let state = Mutex(State())

    package init() {}

    deinit { end() }

    /// The number of sequences and listeners that are registered now.
    package var listenerCount: Int { state.withLock { $0.sequences.count + $0.listeners.count } }

    /// Sends an element to all registered sequences and listeners.
    package func tell(_ element: Element) {
        let (sequences, listeners) = state.withLock { (Array($0.sequences.values), Array($0.listeners.values)) }
        for sequence in sequences { sequence.yield(element) }
        for listener in listeners { listener(element) }
    }

    /// Finishes the sequences and removes all listeners.
    package func end() {
        let sequences = state.withLock { state in
            defer { (state.sequences, state.listeners) = ([:], [:]) }
            return Array(state.sequences.values)
        }
        for sequence in sequences { sequence.finish() }
    }

    /// Returns a sequence of the elements that are sent from now on. It buffers the newest `limit` elements that
    /// haven't been read, and drops older ones.
    package func sequence(limit: Int) -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Element.self, bufferingPolicy: .bufferingNewest(limit))
        let id = state.withLock { state in
            let id = state.nextID()
            state.sequences[id] = continuation
            return id
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.sequences.removeValue(forKey: id) }
        }
        return stream
    }

    /// Registers a listener for the elements that are sent from now on. It is called on the sender's thread.
    ///
    /// - Returns: a closure that removes the listener.
    package func add(_ listener: @escaping @Sendable (Element) -> Void) -> @Sendable () -> Void {
        let id = state.withLock { state in
            let id = state.nextID()
            state.listeners[id] = listener
            return id
        }
        return { [weak self] in self?.state.withLock { _ = $0.listeners.removeValue(forKey: id) } }
    }
}
