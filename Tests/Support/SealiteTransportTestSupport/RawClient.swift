internal import SealiteTestSupport
internal import Testing
import NIOCore
import NIOPosix
import Synchronization

/// A TCP client that sends what a test wants and collects what comes back.
package final class RawClient: Sendable {
    private let channel: any Channel
    private let collected: Collected

    private final class Collected: Sendable {
        let bytes = Mutex<[UInt8]>([])
    }

    private final class Collector: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let collected: Collected
        init(_ collected: Collected) { self.collected = collected }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let bytes = Array(Self.unwrapInboundIn(data).readableBytesView)
            collected.bytes.withLock { $0 += bytes }
        }
        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }

    private init(channel: any Channel, collected: Collected) {
        self.channel = channel
        self.collected = collected
    }

    package static func connect(port: Int) async throws -> RawClient {
        let collected = Collected()
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Collector(collected))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        return RawClient(channel: channel, collected: collected)
    }

    package func send(_ text: String) async throws { try await send(Array(text.utf8)) }
    package func send(_ bytes: [UInt8]) async throws { try await channel.writeAndFlush(ByteBuffer(bytes: bytes)) }

    /// The bytes received so far.
    package var received: [UInt8] { collected.bytes.withLock { $0 } }

    /// Waits until something came that the closure likes, or the peer closed, at most `waitingLimit`.
    package func wait(for isEnough: ([UInt8]) -> Bool) async {
        await eventually("what the peer sends") { isEnough(received) || !channel.isActive }
    }

    /// Returns everything received until the peer closed, as text; nil if it doesn't close within `waitingLimit`.
    package func untilClosed() async -> String? {
        let deadline = ContinuousClock.now + waitingLimit
        let timer = channel.eventLoop.scheduleTask(in: TimeAmount(waitingLimit)) { [channel] in
            channel.close(promise: nil)
        }
        try? await channel.closeFuture.get()
        timer.cancel()
        guard .now < deadline else { return nil }
        return String(decoding: received, as: UTF8.self)
    }

    package func close() async { try? await channel.close() }

    /// Upgrades to WebSocket.
    package func upgrade(_ path: String = "/db/_blipsync") async throws {
        try await send(
            "GET \(path) HTTP/1.1\r\nHost: x\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n"
                + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                + "Sec-WebSocket-Protocol: nothing, BLIP_3+CBMobile_3\r\n\r\n")
        await wait { String(decoding: $0, as: UTF8.self).contains("\r\n\r\n") }
    }
}
