internal import SealiteBase
package import SealiteCredentials

/// The binary messages of a connection that were received and not yet read, in order, with back pressure. Thread-safe;
/// one task may read it.
package final class MessageQueue: Sendable {
    private struct State {
        var messages: [[UInt8]] = []
        var byteCount = 0
        var isFull = false
        var end: Result<Void, TransportError>?
        var onDemand: (@Sendable () -> Void)?
        var onEnd: (@Sendable () -> Void)?
    }

    private let state = Condition(State())
    /// The number of queued bytes at which the connection has to stop receiving until they are read.
    private let highWaterMark: Int

    init(highWaterMark: Int) { self.highWaterMark = highWaterMark }

    /// Registers a closure that is called, on any thread, when a full queue was read or the messages ended.
    func onDemand(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.onDemand = body } }

    /// Registers a closure that is called once, on any thread, when the messages end: at once if they have ended.
    /// Messages that were received before may still be queued then.
    package func onEnd(_ body: @escaping @Sendable () -> Void) {
        let hasEnded = state.withLock { state in
            if state.end == nil { state.onEnd = body }
            return state.end != nil
        }
        if hasEnded { body() }
    }

    /// A Boolean value that indicates whether the queue is full, so that the connection has to stop receiving until it
    /// is read.
    var isFull: Bool { state.withLock { $0.isFull && $0.end == nil } }

    /// A Boolean value that indicates whether the messages have ended; some may still be queued.
    var hasEnded: Bool { state.withLock { $0.end != nil } }

    /// Adds messages; returns false if the queue is full now. After the end of the messages, further ones are dropped,
    /// and the result is true.
    @discardableResult
    func offer(_ messages: [[UInt8]]) -> Bool {
        state.change { state in
            guard state.end == nil else { return true }
            if state.messages.isEmpty { state.messages = messages } else { state.messages += messages }
            for message in messages { state.byteCount += message.count + 64 }
            if state.byteCount >= highWaterMark { state.isFull = true }
            return !state.isFull
        }
    }

    /// Waits until the queue has room for another message, or has ended.
    func waitForRoom() async { await state.waitThroughCancellation { !$0.isFull || $0.end != nil } }

    /// Ends the messages after the queued ones. Only the first end counts.
    func finish(_ end: Result<Void, TransportError>) {
        let (demand, onEnd) = state.change { state in
            if state.end == nil { state.end = end }
            return (state.onDemand.take(), state.onEnd.take())
        }
        demand?()
        onEnd?()
    }

    /// Waits for messages and returns all that have arrived, at least one; nil after an orderly end.
    ///
    /// - Throws: the reason for which the connection ended, other than an orderly close; `cancelled` in a cancelled
    ///   task.
    package func nextBatch() async throws(TransportError) -> [[UInt8]]? {
        let found = await state.wait { state -> Found? in
            guard state.messages.isEmpty else {
                defer { (state.messages, state.byteCount, state.isFull) = ([], 0, false) }
                return .messages(state.messages, demand: state.isFull ? state.onDemand : nil)
            }
            return state.end.map { .end($0) }
        }
        switch found {
        case .messages(let messages, let demand):
            demand?()
            return messages
        case .end(let end):
            try end.get()
            return nil
        case nil: throw TransportError(.cancelled, "waiting for messages of the peer was cancelled")
        }
    }

    private enum Found: Sendable {
        case messages([[UInt8]], demand: (@Sendable () -> Void)?)
        case end(Result<Void, TransportError>)
    }
}
