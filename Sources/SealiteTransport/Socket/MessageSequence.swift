package import SealiteCredentials
internal import Synchronization

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
        var reader: CheckedContinuation<Void, Never>?
        var onDemand: (@Sendable () -> Void)?
        var onEnd: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())
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
        let (reader, hasRoom) = state.withLock { state in
            guard state.end == nil else { return (CheckedContinuation<Void, Never>?.none, true) }
            if state.messages.isEmpty { state.messages = messages } else { state.messages += messages }
            for message in messages { state.byteCount += message.count + 64 }
            if state.byteCount >= highWaterMark { state.isFull = true }
            return (state.reader.take(), !state.isFull)
        }
        reader?.resume()
        return hasRoom
    }

    /// Ends the sequence after the queued messages. Only the first end counts.
    func finish(_ end: Result<Void, TransportError>) {
        let (reader, demand, onEnd) = state.withLock { state in
            if state.end == nil { state.end = end }
            return (state.reader.take(), state.onDemand.take(), state.onEnd.take())
        }
        reader?.resume()
        demand?()
        onEnd?()
    }

    /// Returns all queued messages, at least one; nil after an orderly end.
    func nextBatch() async throws(TransportError) -> [[UInt8]]? {
        while true {
            let (batch, end, demand) = state.withLock { state in
                let batch = state.messages
                state.messages = []
                state.byteCount = 0
                let demand = state.isFull ? state.onDemand : nil
                state.isFull = false
                return (batch, batch.isEmpty ? state.end : nil, demand)
            }
            demand?()
            if !batch.isEmpty { return batch }
            if let end {
                try end.get()
                return nil
            }
            if Task.isCancelled { throw TransportError(.cancelled, "reading was cancelled") }
            await waitForChange()
        }
    }

    /// Returns when something was queued, the sequence ended, or the task was cancelled.
    private func waitForChange() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDue = state.withLock { state in
                    precondition(state.reader == nil, "the messages of a connection are read by one task")
                    if !state.messages.isEmpty || state.end != nil || Task.isCancelled { return true }
                    state.reader = continuation
                    return false
                }
                if isDue { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.reader.take() }?.resume()
        }
    }
}
