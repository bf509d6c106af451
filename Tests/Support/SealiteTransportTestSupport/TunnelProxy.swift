package import NIOCore
import NIOPosix
import Synchronization

/// A proxy that answers CONNECT and passes everything on to one port of this machine.
package final class TunnelProxy: Sendable {
    package let port: Int
    private let channel: any Channel
    private let seen: Seen

    private final class Seen: Sendable { let request = Mutex("") }

    /// The request for the tunnel.
    package var request: String { seen.request.withLock { $0 } }

    private init(channel: any Channel, seen: Seen) {
        self.channel = channel
        self.seen = seen
        port = channel.localAddress?.port ?? 0
    }

    /// Begins to listen; it is asked with CONNECT first (`answers`), or passes on from the first byte.
    package static func start(to target: Int, answers: Bool = true, change: Change? = nil) async throws -> TunnelProxy {
        let seen = Seen()
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        Front(target: target, isOpen: !answers, change: change) { text in
                            seen.request.withLock { $0 = text }
                        })
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return TunnelProxy(channel: channel, seen: seen)
    }

    package func stop() async { try? await channel.close() }

    /// Processes bytes from the server: receives the number of bytes before them, the bytes and the client's channel.
    package typealias Change = @Sendable (_ before: Int, _ bytes: ByteBuffer, _ client: any Channel) -> Void

    /// The client's side.
    private final class Front: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let target: Int
        private let change: Change?
        private let note: (String) -> Void
        private var head: [UInt8] = []
        private var isOpen: Bool
        private var back: (any Channel)?
        private var waiting: [ByteBuffer] = []

        init(target: Int, isOpen: Bool, change: Change?, note: @escaping (String) -> Void) {
            self.target = target
            self.isOpen = isOpen
            self.change = change
            self.note = note
        }

        func channelActive(context: ChannelHandlerContext) {
            let front = context.channel
            let change = change
            let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
            ClientBootstrap(group: context.eventLoop)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(Back(front: front, change: change))
                    }
                }
                .connect(host: "127.0.0.1", port: target)
                .whenComplete { result in
                    guard case .success(let back) = result else { return front.close(promise: nil) }
                    bound.value.back = back
                    for bytes in bound.value.waiting { back.writeAndFlush(bytes, promise: nil) }
                    bound.value.waiting = []
                }
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let bytes = Self.unwrapInboundIn(data)
            guard isOpen else {
                head += Array(bytes.readableBytesView)
                let text = String(decoding: head, as: UTF8.self)
                guard text.hasSuffix("\r\n\r\n") else { return }
                isOpen = true
                note(text)
                context.channel.writeAndFlush(ByteBuffer(string: "HTTP/1.1 200 OK\r\n\r\n"), promise: nil)
                return
            }
            if let back { back.writeAndFlush(bytes, promise: nil) } else { waiting.append(bytes) }
        }

        func channelInactive(context: ChannelHandlerContext) { back?.close(promise: nil) }
        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }

    /// The server's side.
    private final class Back: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let front: any Channel
        private let change: Change?
        private var count = 0

        init(front: any Channel, change: Change?) {
            self.front = front
            self.change = change
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let bytes = Self.unwrapInboundIn(data)
            if let change { change(count, bytes, front) } else { front.writeAndFlush(bytes, promise: nil) }
            count += bytes.readableBytes
        }

        func channelInactive(context: ChannelHandlerContext) { front.close(promise: nil) }
        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
