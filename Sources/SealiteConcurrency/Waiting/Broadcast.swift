internal import Synchronization

/// Tells many listeners and sequences the same.
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

    /// The number of sequences and listeners that are told.
    package var listenerCount: Int { state.withLock { $0.sequences.count + $0.listeners.count } }

    /// Tells all that listen now.
    package func tell(_ element: Element) {
        let (sequences, listeners) = state.withLock { (Array($0.sequences.values), Array($0.listeners.values)) }
        for sequence in sequences { sequence.yield(element) }
        for listener in listeners { listener(element) }
    }

    /// Ends the sequences, and forgets the listeners.
    package func end() {
        let sequences = state.withLock { state in
            defer { (state.sequences, state.listeners) = ([:], [:]) }
            return Array(state.sequences.values)
        }
        for sequence in sequences { sequence.finish() }
    }

    /// Returns what is told from now on; of what is not read, the newest `limit` elements are kept.
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

    /// Calls a listener from now on, on the thread of the one who tells.
    ///
    /// - Returns: the closure that removes the listener.
    package func add(_ listener: @escaping @Sendable (Element) -> Void) -> @Sendable () -> Void {
        let id = state.withLock { state in
            let id = state.nextID()
            state.listeners[id] = listener
            return id
        }
        return { [weak self] in self?.state.withLock { _ = $0.listeners.removeValue(forKey: id) } }
    }
}
