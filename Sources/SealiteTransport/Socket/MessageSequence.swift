internal import SealiteConcurrency
package import SealiteCredentials

/// The binary messages of a connection, in order, with back pressure. One task may iterate it, once.
package struct MessageSequence: AsyncSequence, Sendable {
    /// One binary message.
    package typealias Element = [UInt8]
    /// The reason for which the connection ended, other than an orderly close.
    package typealias Failure = TransportError

    private let queue: MessageQueue
    /// The connection, which closes with its last reference.
    private let owner: any AnyObject & Sendable

    init(queue: MessageQueue, owner: any AnyObject & Sendable) {
        self.queue = queue
        self.owner = owner
    }

    /// Registers a closure that is called once, on any thread, when the sequence ends: at once if it has ended. Messages that were
    /// received before may still be queued then.
    package func onEnd(_ body: @escaping @Sendable () -> Void) { queue.onEnd(body) }

    /// Makes the iterator; call it once.
    package func makeAsyncIterator() -> Iterator { Iterator(queue: queue, owner: owner) }

    /// Takes all messages that have arrived at once, and returns them one by one.
    package struct Iterator: AsyncIteratorProtocol {
        private let queue: MessageQueue
        private let owner: any AnyObject & Sendable
        private var batch: ArraySlice<[UInt8]> = []

        init(queue: MessageQueue, owner: any AnyObject & Sendable) {
            self.queue = queue
            self.owner = owner
        }

        /// A Boolean value that indicates whether `next()` returns without waiting.
        package var hasNext: Bool { !batch.isEmpty }

        /// Returns the next message; nil after an orderly end. Throws `cancelled` in a cancelled task.
        package mutating func next() async throws(TransportError) -> [UInt8]? { try await next(isolation: nil) }

        /// Returns the next message; nil after an orderly end. Throws `cancelled` in a cancelled task.
        package mutating func next(isolation actor: isolated (any Actor)?) async throws(TransportError) -> [UInt8]? {
            if batch.isEmpty {
                guard let arrived = try await queue.nextBatch() else { return nil }
                batch = arrived[...]
            }
            return batch.popFirst()
        }
    }
}

/// The messages that were received and not yet read. Thread-safe.
final class MessageQueue: Sendable {
    private struct State {
        var messages: [[UInt8]] = []
        var byteCount = 0
        var isFull = false
        var end: Result<Void, TransportError>?
        var onDemand: (@Sendable () -> Void)?
        var onEnd: (@Sendable () -> Void)?
    }

    private let state = Condition(State())
    /// The number of bytes above which the receiver has to stop until they are read.
    private let highWaterMark: Int

    init(highWaterMark: Int) { self.highWaterMark = highWaterMark }

    /// Registers a closure that is called, on any thread, when a full queue was read or the sequence ended.
    func onDemand(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.onDemand = body } }

    /// Registers a closure that is called, on any thread, when the sequence ends: at once if it has ended.
    func onEnd(_ body: @escaping @Sendable () -> Void) {
        let hasEnded = state.withLock { state in
            if state.end == nil { state.onEnd = body }
            return state.end != nil
        }
        if hasEnded { body() }
    }

    /// A Boolean value that indicates whether the receiver has to stop for now.
    var isFull: Bool { state.withLock { $0.isFull && $0.end == nil } }

    /// A Boolean value that indicates whether the sequence has ended; messages may still be queued.
    var hasEnded: Bool { state.withLock { $0.end != nil } }

    /// Adds messages; returns false if the queue is full now. Messages after the end are dropped.
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

    /// Waits until the receiver may go on.
    func waitForRoom() async { await state.waitThroughCancellation { !$0.isFull || $0.end != nil } }

    /// Ends the sequence after the queued messages. Only the first end counts.
    func finish(_ end: Result<Void, TransportError>) {
        let (demand, onEnd) = state.change { state in
            if state.end == nil { state.end = end }
            return (state.onDemand.take(), state.onEnd.take())
        }
        demand?()
        onEnd?()
    }

    /// Returns all queued messages, at least one; nil after an orderly end.
    func nextBatch() async throws(TransportError) -> [[UInt8]]? {
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
        case nil: throw TransportError(.cancelled, "reading was cancelled")
        }
    }

    private enum Found: Sendable {
        case messages([[UInt8]], demand: (@Sendable () -> Void)?)
        case end(Result<Void, TransportError>)
    }
}
