internal import Synchronization

/// The binary messages of a connection, in order, with back pressure. Iterated once, by one task.
public struct FrameSequence: AsyncSequence, Sendable {
    /// One binary message.
    public typealias Element = [UInt8]
    /// Why the connection ended, if not in an orderly way.
    public typealias Failure = TransportError

    let queue: FrameQueue
    /// The connection, which closes when nobody holds it.
    let owner: any AnyObject & Sendable

    /// The iterator; only one is to be made.
    public func makeAsyncIterator() -> Iterator { Iterator(queue: queue, owner: owner) }

    /// Takes what has arrived at once, and hands it out one by one.
    public struct Iterator: AsyncIteratorProtocol {
        private let queue: FrameQueue
        private let owner: any AnyObject & Sendable
        private var batch: ArraySlice<[UInt8]> = []

        init(queue: FrameQueue, owner: any AnyObject & Sendable) {
            self.queue = queue
            self.owner = owner
        }

        /// Whether the next message was taken already, so that `next()` won't wait.
        var hasNext: Bool { !batch.isEmpty }

        /// The next message; nil after an orderly end. A cancelled task gets `cancelled`.
        public mutating func next() async throws(TransportError) -> [UInt8]? { try await next(isolation: nil) }

        /// The next message; nil after an orderly end. A cancelled task gets `cancelled`.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(TransportError) -> [UInt8]? {
            if batch.isEmpty {
                guard let arrived = try await queue.nextBatch() else { return nil }
                batch = arrived[...]
            }
            return batch.popFirst()
        }
    }
}

/// Messages between the one who receives them and the one who reads them. Thread-safe.
final class FrameQueue: Sendable {
    private struct State {
        var frames: [[UInt8]] = []
        var byteCount = 0
        var isFull = false
        var end: Result<Void, TransportError>?
        var reader: CheckedContinuation<Void, Never>?
        var onDemand: (@Sendable () -> Void)?
        var onEnd: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())
    /// Bytes above which the receiver is to stop; it goes on when they are read.
    private let highWaterMark: Int

    init(highWaterMark: Int) { self.highWaterMark = highWaterMark }

    /// Names what is to be called, on any thread, when a full queue was read or the sequence ended.
    func onDemand(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.onDemand = body } }

    /// Names what is to be called, on any thread, when the sequence ends: at once if it has ended.
    func onEnd(_ body: @escaping @Sendable () -> Void) {
        let hasEnded = state.withLock { state in
            if state.end == nil { state.onEnd = body }
            return state.end != nil
        }
        if hasEnded { body() }
    }

    /// Whether the receiver should take no more for now.
    var isFull: Bool { state.withLock { $0.isFull && $0.end == nil } }

    /// Whether the sequence has ended, although messages may still be queued.
    var hasEnded: Bool { state.withLock { $0.end != nil } }

    /// Adds a message; false if the queue is full now. A message after the end is dropped.
    @discardableResult
    func offer(_ frame: [UInt8]) -> Bool {
        let (reader, hasRoom) = state.withLock { state in
            guard state.end == nil else { return (CheckedContinuation<Void, Never>?.none, true) }
            state.frames.append(frame)
            state.byteCount += frame.count + 64
            if state.byteCount >= highWaterMark { state.isFull = true }
            return (state.reader.take(), !state.isFull)
        }
        reader?.resume()
        return hasRoom
    }

    /// Ends the sequence behind what is queued. Only the first end counts.
    func finish(_ end: Result<Void, TransportError>) {
        let (reader, demand, onEnd) = state.withLock { state in
            if state.end == nil { state.end = end }
            return (state.reader.take(), state.onDemand.take(), state.onEnd.take())
        }
        reader?.resume()
        demand?()
        onEnd?()
    }

    /// All messages that are there, at least one; nil after an orderly end.
    func nextBatch() async throws(TransportError) -> [[UInt8]]? {
        while true {
            let (batch, end, demand) = state.withLock { state in
                let batch = state.frames
                state.frames = []
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
                    precondition(state.reader == nil, "the frames of a connection are read by one task")
                    if !state.frames.isEmpty || state.end != nil || Task.isCancelled { return true }
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
