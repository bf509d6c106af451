import Glibc
package import NIOCore
import NIOPosix
import SealiteEndpoints
import Synchronization

package import SealiteTransport

/// A TCP server that does as a closure says: for answers that no proper server gives.
package final class RawServer: Sendable {
    /// Gets the number of the connection, all bytes received on it so far, and the channel; called whenever bytes arrive.
    package typealias Behaviour = @Sendable (_ connection: Int, _ received: [UInt8], _ channel: any Channel) -> Void

    package let port: Int
    private let channel: any Channel
    private let received = Mutex<[[UInt8]]>([])

    /// The bytes received on each connection, as text.
    package var requests: [String] { received.withLock { $0.map { String(decoding: $0, as: UTF8.self) } } }

    private init(channel: any Channel) {
        self.channel = channel
        port = channel.localAddress?.port ?? 0
    }

    package static func start(_ behaviour: @escaping Behaviour) async throws -> RawServer {
        let shared = Shared()
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                let number = shared.next()
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        RawHandler { bytes, channel in
                            shared.note(number, bytes)
                            behaviour(number, bytes, channel)
                        })
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let server = RawServer(channel: channel)
        shared.set(server)
        return server
    }

    /// Answers each complete request, by its number from 0, and closes behind answers that don't upgrade.
    package static func answering(_ answer: @escaping @Sendable (Int, String) -> String) async throws -> RawServer {
        try await start { number, received, channel in
            let text = String(decoding: received, as: UTF8.self)
            guard text.hasSuffix("\r\n\r\n") else { return }
            channel.put(answer(number, text))
        }
    }

    package func stop() async throws { try await channel.close() }

    package func request(_ path: String = "/db") throws -> UpgradeRequest {
        try UpgradeRequest(to: EndpointURL("ws://127.0.0.1:\(port)\(path)"))
    }

    fileprivate func note(_ number: Int, _ bytes: [UInt8]) {
        received.withLock { received in
            while received.count <= number { received.append([]) }
            received[number] = bytes
        }
    }

    private final class Shared: Sendable {
        private let server = Mutex<RawServer?>(nil)
        private let count = Mutex(0)

        func set(_ value: RawServer) { server.withLock { $0 = value } }
        func next() -> Int {
            count.withLock {
                $0 += 1
                return $0 - 1
            }
        }
        func note(_ number: Int, _ bytes: [UInt8]) { server.withLock { $0 }?.note(number, bytes) }
    }
}

private final class RawHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private var received: [UInt8] = []
    private let behaviour: (_ received: [UInt8], _ channel: any Channel) -> Void

    init(_ behaviour: @escaping (_ received: [UInt8], _ channel: any Channel) -> Void) { self.behaviour = behaviour }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received += Array(Self.unwrapInboundIn(data).readableBytesView)
        behaviour(received, context.channel)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

extension Channel {
    package func put(_ text: String) { put(Array(text.utf8)) }

    /// Closes, or resets the connection.
    package func end(byReset: Bool) {
        let linger = linger(l_onoff: byReset ? 1 : 0, l_linger: 0)
        guard let provider = self as? any SocketOptionProvider else { return close(promise: nil) }
        provider.setSoLinger(linger).whenComplete { _ in self.close(promise: nil) }
    }

    package func put(_ bytes: [UInt8]) { writeAndFlush(ByteBuffer(bytes: bytes), promise: nil) }
}
