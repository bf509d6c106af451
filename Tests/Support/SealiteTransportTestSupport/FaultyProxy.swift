import NIOCore
import NIOPosix
import Synchronization

/// Passes WebSocket connections on to a port of this machine, and does to the first ones what a test says, at the end of a
/// message of either direction. The request and the answer of the upgrade count as messages.
package final class FaultyProxy: Sendable {
    package enum Fault: Sendable {
        /// The connection is reset behind so many messages, or closed without a close frame.
        case cut(after: Int, byReset: Bool)
        /// Nothing passes any more, and nothing is closed: a half-open connection.
        case silence(after: Int)
        /// The request is answered with this text, and the connection closed.
        case answer(String)
    }

    private struct State {
        var target: Int
        var faults: [Fault] = []
        var connectionCount = 0
        var doneCount = 0
    }
    private let state: Mutex<State>
    private let holder = Mutex<(any Channel)?>(nil)

    private init(to target: Int) { state = Mutex(State(target: target)) }

    package static func start(to target: Int) async throws -> FaultyProxy {
        let proxy = FaultyProxy(to: target)
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        ProxySide(proxy, PassedConnection(proxy.nextFault())))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        proxy.holder.withLock { $0 = channel }
        return proxy
    }

    package var port: Int { holder.withLock { $0?.localAddress?.port } ?? 0 }
    fileprivate var target: Int { state.withLock { $0.target } }

    /// Connections so far.
    package var connectionCount: Int { state.withLock { $0.connectionCount } }
    /// Faults that came about.
    package var doneCount: Int { state.withLock { $0.doneCount } }

    /// Sets the faults of the next connections; later ones are forwarded unchanged.
    package func arm(_ faults: [Fault]) { state.withLock { $0.faults = faults } }

    private func nextFault() -> Fault? {
        state.withLock { state in
            state.connectionCount += 1
            return state.faults.isEmpty ? nil : state.faults.removeFirst()
        }
    }

    fileprivate func noteDone() { state.withLock { $0.doneCount += 1 } }

    package func stop() async { try? await holder.withLock { $0 }?.close() }
}

/// Both directions of a connection, on one event loop.
private final class PassedConnection {
    let fault: FaultyProxy.Fault?
    private var messageCount = 0
    private(set) var isOver = false

    init(_ fault: FaultyProxy.Fault?) { self.fault = fault }

    /// Counts a message, and says whether it was the last to pass.
    func passed() -> Bool {
        messageCount += 1
        switch fault {
        case .cut(let limit, _), .silence(let limit): isOver = messageCount >= limit
        case .answer, nil: break
        }
        return isOver
    }
}

/// One end of a passed connection.
private final class ProxySide: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let proxy: FaultyProxy
    private let connection: PassedConnection
    private var messages = MessageEnds()
    private var other: (any Channel)?
    private var waiting: [ByteBuffer] = []
    private var request = ""

    init(_ proxy: FaultyProxy, _ connection: PassedConnection, other: (any Channel)? = nil) {
        self.proxy = proxy
        self.connection = connection
        self.other = other
    }

    func channelActive(context: ChannelHandlerContext) {
        if case .answer = connection.fault { return }
        guard other == nil else { return }
        let front = context.channel
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        ClientBootstrap(group: context.eventLoop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let side = ProxySide(bound.value.proxy, bound.value.connection, other: front)
                    try channel.pipeline.syncOperations.addHandler(side)
                }
            }
            .connect(host: "127.0.0.1", port: proxy.target)
            .whenComplete { result in
                guard case .success(let back) = result else { return front.close(promise: nil) }
                bound.value.other = back
                for bytes in bound.value.waiting { bound.value.pass(bytes, from: front) }
                bound.value.waiting = []
            }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = Self.unwrapInboundIn(data)
        if case .answer(let text) = connection.fault {
            request += String(buffer: bytes)
            guard request.hasSuffix("\r\n\r\n") else { return }
            proxy.noteDone()
            let channel = context.channel
            channel.writeAndFlush(ByteBuffer(string: text)).whenComplete { _ in channel.close(promise: nil) }
        } else if other == nil {
            waiting.append(bytes)
        } else {
            pass(bytes, from: context.channel)
        }
    }

    private func pass(_ bytes: ByteBuffer, from own: any Channel) {
        guard let other, !connection.isOver else { return }
        var rest = bytes
        while rest.readableBytes > 0 {
            let (count, isEnd) = messages.next(rest.readableBytesView)
            guard let part = rest.readSlice(length: count) else { return }
            guard isEnd, connection.passed() else {
                other.writeAndFlush(part, promise: nil)
                continue
            }
            proxy.noteDone()
            guard case .cut(_, let byReset) = connection.fault else { return other.writeAndFlush(part, promise: nil) }
            return other.writeAndFlush(part).whenComplete { _ in
                other.end(byReset: byReset)
                own.end(byReset: byReset)
            }
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        if case .silence = connection.fault, connection.isOver { return }
        other?.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

/// Finds the ends of messages in one direction's bytes: the head of the upgrade, then WebSocket frames.
private struct MessageEnds {
    private var tail: [UInt8] = []
    private var isHTTP = true
    private var header: [UInt8] = []
    private var left = 0

    /// Returns the number of bytes up to the next end, or to the end of the bytes.
    mutating func next(_ bytes: ByteBufferView) -> (count: Int, isEnd: Bool) {
        for (index, byte) in bytes.enumerated() where take(byte) { return (index + 1, true) }
        return (bytes.count, false)
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        if isHTTP {
            tail = tail.suffix(3) + [byte]
            isHTTP = tail != Array("\r\n\r\n".utf8)
            return !isHTTP
        }
        if left > 0 {
            left -= 1
            return left == 0
        }
        header.append(byte)
        guard header.count >= 2 else { return false }
        let short = Int(header[1] & 0x7F)
        let sizeByteCount = short == 127 ? 8 : short == 126 ? 2 : 0
        guard header.count == 2 + sizeByteCount + (header[1] & 0x80 == 0 ? 0 : 4) else { return false }
        left = sizeByteCount == 0 ? short : header[2..<2 + sizeByteCount].reduce(0) { $0 << 8 | Int($1) }
        header = []
        return left == 0
    }
}
