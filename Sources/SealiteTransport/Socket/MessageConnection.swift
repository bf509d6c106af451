internal import SealiteBase
package import SealiteEndpoints

/// A WebSocket connection that carries binary messages, on a socket or within the process. Safe to use from any task.
package protocol MessageConnection: Sendable {
    /// The binary messages that the peer sends, in order. Only one task may read them. It must keep a reference to the
    /// connection meanwhile, because the connection is closed when its last reference is released. Slow reading slows
    /// the peer.
    ///
    /// The messages end when this side has closed the connection, or the peer has closed it with code 1000. If the
    /// connection ended in another way, reading throws: `closedByPeer` with the peer's code, `lost` without a close
    /// frame, and so on.
    var received: MessageQueue { get }

    /// Sends binary messages; returns when the outbound buffer is below its high-water mark.
    ///
    /// A return doesn't mean that the messages have arrived. The messages of one call are written together.
    func send(_ messages: [[UInt8]]) async throws(TransportError)

    /// Sends a close frame (RFC 6455 §7.4), and closes the connection when the peer has responded, after 5 seconds at
    /// the latest.
    ///
    /// Messages sent before are written first. A second call does nothing.
    func close(code: UInt16, reason: String) async

    /// The result of the handshake: the HTTP response, certificates, addresses.
    var info: ConnectionInfo { get }
}

extension MessageConnection {
    /// Sends one binary message; returns when the outbound buffer is below its high-water mark.
    package func send(_ message: [UInt8]) async throws(TransportError) { try await send([message]) }
}

/// One end of a connection within this process: for a replication between two databases of one program, and for tests.
///
/// Behaves like a socket with regard to the order of messages, back pressure and closing, and can be cut (`cut()`).
package final class MessagePipe: MessageConnection {
    package let received: MessageQueue
    private let outgoing: MessageQueue
    package let info: ConnectionInfo

    private init(received: MessageQueue, outgoing: MessageQueue, info: ConnectionInfo) {
        self.received = received
        self.outgoing = outgoing
        self.info = info
    }

    /// Creates a connection.
    ///
    /// - Parameters:
    ///   - bufferedByteCount: the number of unread bytes in each direction at which sending waits.
    ///   - info: the handshake's result that both ends report.
    /// - Returns: the two ends.
    package static func pair(
        bufferedByteCount: Int = 256 << 10, info: ConnectionInfo = ConnectionInfo(subprotocol: "BLIP_3+CBMobile_3")
    ) -> (MessagePipe, MessagePipe) {
        let there = MessageQueue(highWaterMark: bufferedByteCount)
        let back = MessageQueue(highWaterMark: bufferedByteCount)
        return (
            MessagePipe(received: back, outgoing: there, info: info),
            MessagePipe(received: there, outgoing: back, info: info)
        )
    }

    package func send(_ messages: [[UInt8]]) async throws(TransportError) {
        for message in messages {
            if outgoing.hasEnded { throw TransportError(.closed, "the connection is closed") }
            if !outgoing.offer([message]) { await outgoing.waitForRoom() }
        }
    }

    package func close(code: UInt16, reason: String) async {
        outgoing.finish(code == 1_000 ? .success(()) : .failure(.closedByPeer(code: Int(code), reason: reason)))
        received.finish(.success(()))
    }

    /// Cuts the connection without a close frame: both ends see `lost`.
    package func cut() {
        let lost = TransportError(.lost, "the connection was lost without a close frame")
        outgoing.finish(.failure(lost))
        received.finish(.failure(lost))
    }
}

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

    private let state = WaitableState(State())
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
