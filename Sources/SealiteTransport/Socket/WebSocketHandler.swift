internal import NIOCore
internal import NIOWebSocket
internal import SealiteBase
internal import SealiteCrypto
internal import SealiteEndpoints

/// A WebSocket connection on its event loop: assembles messages, answers pings, sends heartbeats, closes.
final class WebSocketHandler: ChannelDuplexHandler {
    typealias InboundIn = WebSocketFrame
    typealias InboundOut = Never
    typealias OutboundIn = Never
    typealias OutboundOut = WebSocketFrame

    /// The largest header of a WebSocket frame, in bytes.
    static let headerByteCount = 14
    /// The time within which the peer has to respond to a close frame.
    private static let closeTimeout = TimeAmount.seconds(5)

    let queue: MessageQueue
    let gate: SendWindow
    private let isClient: Bool
    private let limits: ConnectionLimits
    private let heartbeat: TimeAmount
    /// The peer, for errors.
    private let place: String

    private var context: ChannelHandlerContext?
    private var fragments: ByteBuffer?
    /// The messages of the current read, which are passed to the reader together, so that it is woken only once.
    private var arrived: [[UInt8]] = []
    private var isReadHeld = false
    private var isClosing = false
    private var hasReceived = false
    private var isPingUnanswered = false
    private var heartbeatTimer: Scheduled<Void>?
    private var closeTimer: Scheduled<Void>?

    init(isClient: Bool, limits: ConnectionLimits, heartbeat: Duration, place: String) {
        self.isClient = isClient
        self.limits = limits
        self.heartbeat = TimeAmount(heartbeat)
        self.place = place
        queue = MessageQueue(highWaterMark: limits.receivedByteCount)
        gate = SendWindow(highWaterMark: limits.sentByteCount)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        let loop = context.eventLoop
        queue.onDemand { loop.execute { bound.value.resumeReading() } }
        scheduleHeartbeat()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        end(.failure(TransportError(.lost, "the connection to \(place) was lost without a close frame")))
        heartbeatTimer?.cancel()
        closeTimer?.cancel()
        self.context = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(.failure(TransportError(.lost, "the connection to \(place) was lost without a close frame")))
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail(TransportError(error, place: place, frameByteLimit: limits.messageByteCount))
    }

    // MARK: - Back pressure

    func read(context: ChannelHandlerContext) {
        if queue.isFull { isReadHeld = true } else { context.read() }
    }

    private func resumeReading() {
        guard isReadHeld, let context else { return }
        isReadHeld = false
        context.read()
    }

    // MARK: - Receiving

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = Self.unwrapInboundIn(data)
        hasReceived = true
        // After this side's close frame only the peer's close frame counts.
        if isClosing, frame.opcode != .connectionClose { return }
        guard frame.reservedBits.isEmpty, (frame.maskKey != nil) != isClient else {
            return fail(
                .protocolViolation,
                "\(place) sent a WebSocket frame with a reserved bit, or "
                    + (isClient ? "masked, which a server must not do" : "unmasked, which a client must not do"))
        }
        switch frame.opcode {
        case .binary where fragments == nil:
            if frame.fin { deliver(frame.unmaskedData) } else { fragments = frame.unmaskedData }
        case .continuation where fragments != nil: append(frame)
        case .ping: answer(frame.unmaskedData)
        case .pong: break
        case .connectionClose: closedByPeer(frame.unmaskedData)
        case .text:
            fail(.protocolViolation, "\(place) sent a WebSocket message of text; only binary ones are allowed")
        default:
            fail(
                .protocolViolation,
                "\(place) sent a WebSocket frame of an undefined kind, or one out of order in a fragmented message")
        }
    }

    private func append(_ frame: WebSocketFrame) {
        let byteCount = (fragments?.readableBytes ?? 0) + frame.length
        guard byteCount <= limits.messageByteCount else {
            return fail(
                .frameTooLarge, "a WebSocket message of \(place) exceeds the limit of \(limits.messageByteCount) bytes")
        }
        var data = frame.unmaskedData
        fragments?.writeBuffer(&data)
        guard frame.fin, let whole = fragments else { return }
        fragments = nil
        deliver(whole)
    }

    private func deliver(_ data: ByteBuffer) {
        if arrived.isEmpty, let context {
            // Bytes that directly follow the upgrade are passed on by handlers that are being removed, without a
            // `channelReadComplete`.
            let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
            context.eventLoop.execute { bound.value.handOver() }
        }
        arrived.append(Array(data.readableBytesView))
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        handOver()
        context.fireChannelReadComplete()
    }

    /// Passes the received messages to the reader.
    private func handOver() {
        guard !arrived.isEmpty else { return }
        queue.offer(arrived)
        arrived.removeAll(keepingCapacity: true)
    }

    private func answer(_ data: ByteBuffer) {
        // Without this condition, pongs would accumulate in memory if a peer sends pings without reading the pongs.
        guard let context, context.channel.isWritable, !isClosing else { return }
        writeControl(.pong, data, promise: nil)
        context.flush()
    }

    private func closedByPeer(_ payload: ByteBuffer) {
        var data = payload
        let code = data.readInteger(as: UInt16.self)
        let text = data.readString(length: data.readableBytes) ?? ""
        if payload.readableBytes == 1 || code.map({ !Self.mayBeSent($0) }) ?? false {
            return fail(
                .protocolViolation, "\(place) sent a WebSocket close frame with half a code, or an invalid code")
        }
        end(code == 1_000 ? .success(()) : .failure(.closedByPeer(code: Int(code ?? 1_005), reason: text)))
        guard !isClosing else {
            context?.close(promise: nil)
            return
        }
        sendClose(code: code, reason: "", thenClose: true)
    }

    /// Returns whether a close frame may carry a code (RFC 6455 §7.4).
    private static func mayBeSent(_ code: UInt16) -> Bool {
        switch code {
        case 1_000...1_003, 1_007...1_014, 3_000...4_999: true
        default: false
        }
    }

    // MARK: - Sending

    /// Writes messages, whose `byteCount` bytes the send window (`gate`) has counted already.
    func send(_ frames: [[UInt8]], byteCount: Int) {
        guard let context, !isClosing, !frames.isEmpty else { return gate.finish(byteCount) }
        var keys = DrawnNumbers(count: isClient ? frames.count : 0)
        for (index, frame) in frames.enumerated() {
            // Leaves room before the bytes, into which the encoder writes the header.
            var data = context.channel.allocator.buffer(capacity: Self.headerByteCount + frame.count)
            data.moveWriterIndex(to: Self.headerByteCount)
            data.moveReaderIndex(to: Self.headerByteCount)
            data.writeBytes(frame)
            guard index == frames.count - 1 else {
                write(.binary, data, mask(&keys), promise: nil)
                continue
            }
            let written = context.eventLoop.makePromise(of: Void.self)
            let gate = gate
            written.futureResult.whenComplete { _ in gate.finish(byteCount) }
            write(.binary, data, mask(&keys), promise: written)
        }
        context.flush()
    }

    private func mask(_ numbers: inout some RandomNumberGenerator) -> WebSocketMaskingKey? {
        isClient ? .random(using: &numbers) : nil
    }

    private func write(
        _ opcode: WebSocketOpcode, _ data: ByteBuffer, _ key: WebSocketMaskingKey?, promise: EventLoopPromise<Void>?
    ) {
        let frame = WebSocketFrame(fin: true, opcode: opcode, maskKey: key, data: data)
        context?.write(Self.wrapOutboundOut(frame), promise: promise)
    }

    private func writeControl(_ opcode: WebSocketOpcode, _ data: ByteBuffer, promise: EventLoopPromise<Void>?) {
        var numbers = SystemRandomNumberGenerator()
        write(opcode, data, mask(&numbers), promise: promise)
    }

    /// Sends a close frame, and closes when the peer responds or `closeTimeout` has passed.
    func close(code: UInt16, reason: String) {
        guard !isClosing else { return }
        end(.success(()))
        sendClose(code: code, reason: reason, thenClose: false)
    }

    private func sendClose(code: UInt16?, reason: String, thenClose: Bool) {
        guard let context, !isClosing else { return }
        isClosing = true
        var data = context.channel.allocator.buffer(capacity: 125)
        if let code {
            data.writeInteger(code)
            // A control frame holds 125 bytes; the text is cut at a character.
            var text = reason
            while text.utf8.count > 123 { text.removeLast() }
            data.writeString(text)
        }
        let written = context.eventLoop.makePromise(of: Void.self)
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        if thenClose { written.futureResult.whenComplete { _ in bound.value.closeNow() } }
        writeControl(.connectionClose, data, promise: written)
        context.flush()
        closeTimer = context.eventLoop.scheduleTask(in: Self.closeTimeout) { bound.value.closeNow() }
    }

    private func closeNow() { context?.close(promise: nil) }

    // MARK: - Ending

    /// Ends the connection for an error of the peer or the network, with a close frame if one can still arrive.
    private func fail(_ code: TransportError.Code, _ reason: String) { fail(TransportError(code, reason)) }

    private func fail(_ error: TransportError) {
        end(.failure(error))
        switch error.code {
        case .frameTooLarge: sendClose(code: 1_009, reason: "", thenClose: true)
        case .protocolViolation: sendClose(code: 1_002, reason: "", thenClose: true)
        default: context?.close(promise: nil)
        }
    }

    private func end(_ result: Result<Void, TransportError>) {
        handOver()
        // The send window (`gate`) is closed first: after a reader has received the end of the messages, sending must
        // fail.
        switch result {
        case .success: gate.close(TransportError(.closed, "the connection to \(place) is closed"))
        case .failure(let error): gate.close(error)
        }
        queue.finish(result)
    }

    // MARK: - Heartbeat

    private func scheduleHeartbeat() {
        guard let context, heartbeat > .zero else { return }
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        heartbeatTimer = context.eventLoop.scheduleTask(in: heartbeat) { bound.value.beat() }
    }

    private func beat() {
        guard let context, !isClosing else { return }
        if hasReceived || queue.isFull {
            // Back-pressure has paused reading, so a missing pong proves nothing.
            isPingUnanswered = false
        } else if isPingUnanswered {
            return fail(
                .lost, "\(place) sent nothing within \(heartbeat.nanoseconds / 1_000_000) ms after a WebSocket ping")
        } else {
            isPingUnanswered = true
            writeControl(.ping, context.channel.allocator.buffer(capacity: 0), promise: nil)
            context.flush()
        }
        hasReceived = false
        scheduleHeartbeat()
    }
}

/// Counts the bytes that a connection has accepted from senders and not yet written to the network, and makes senders
/// wait above a high-water mark. Thread-safe.
final class SendWindow: Sendable {
    private struct State {
        var pendingByteCount = 0
        var end: TransportError?
    }
    private let state = WaitableState(State())
    private let highWaterMark: Int

    init(highWaterMark: Int) { self.highWaterMark = highWaterMark }

    /// Adds bytes that are about to be written.
    ///
    /// - Throws: the reason for which the connection has ended.
    func begin(_ byteCount: Int) throws(TransportError) {
        let end = state.withLock { state in
            if state.end == nil { state.pendingByteCount += byteCount }
            return state.end
        }
        if let end { throw end }
    }

    /// Subtracts bytes that were written, or never will be.
    func finish(_ byteCount: Int) {
        state.change { $0.pendingByteCount -= byteCount }
    }

    /// Ends sending: every later send fails with the error. Only the first error counts.
    func close(_ error: TransportError) {
        state.change { state in
            if state.end == nil { state.end = error }
        }
    }

    /// Returns when there is room for more bytes. If the number of pending bytes has reached the high-water mark, waits
    /// until half of them were written.
    ///
    /// - Throws: the reason for which the connection has ended.
    func waitForRoom() async throws(TransportError) {
        let hasRoom = state.withLock { $0.end != nil || $0.pendingByteCount < highWaterMark }
        if !hasRoom {
            await state.waitThroughCancellation { [highWaterMark] state in
                state.end != nil || state.pendingByteCount <= highWaterMark / 2
            }
        }
        if let end = state.withLock(\.end) { throw end }
    }
}

/// Random numbers of the kernel for the masks of WebSocket frames, all drawn in one system call: with thousands of
/// small messages, one system call for each would cost more than the masking. No number is kept for later frames, so
/// that a fork or a copy of a virtual machine doesn't repeat them.
struct DrawnNumbers: RandomNumberGenerator {
    private var bytes: ArraySlice<UInt8>

    /// Draws `count` numbers; further ones are drawn singly.
    init(count: Int) {
        bytes = count > 0 ? ((try? SecureRandom.bytes(count * 8)) ?? [])[...] : []
    }

    mutating func next() -> UInt64 {
        guard bytes.count >= 8 else {
            var system = SystemRandomNumberGenerator()
            return system.next()
        }
        defer { bytes = bytes.dropFirst(8) }
        return bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
