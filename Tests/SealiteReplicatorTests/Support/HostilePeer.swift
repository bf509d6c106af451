@testable import SealiteProtocolTestSupport
@testable import SealiteProtocol
import SealiteBase
import SealiteTransport
import SealiteTransportTestSupport
import Synchronization

@testable import SealiteReplicator

/// A passive peer on a real socket that says what a test wants, and else what an empty one would.
final class HostilePeer: Sendable {
    /// The peer's reaction to a received message.
    enum Reaction {
        /// The answer of an empty peer.
        case ordinary
        /// None, because the closure has already acted.
        case done
        /// It reads nothing more, and keeps the connection.
        case stopReading
        /// It sends what the closure asked for, and then reads nothing more.
        case sendAndStopReading
    }

    private let server = Mutex<WebSocketServer?>(nil)
    private let count = Atomic<Int>(0)
    private let isEnding = WaitableState(false)

    /// Connections so far.
    var connectionCount: Int { count.load(ordering: .relaxed) }

    /// Begins to listen; `frameByteCount` is the largest BLIP frame that it sends.
    static func start(
        frameByteCount: Int = 16_384, _ react: @escaping @Sendable (BLIPAction, Endpoint) -> Reaction
    ) async throws -> HostilePeer {
        let peer = HostilePeer()
        var limits = BLIPLimits()
        limits.sentFrameByteCount = frameByteCount
        limits.sentFrameByteCountWhileUrgent = frameByteCount
        var configuration = WebSocketServerConfiguration()
        configuration.networkInterface = "127.0.0.1"
        configuration.handshakeTimeout = .seconds(60)
        let server = try await WebSocketServer.start(configuration) { [limits] connection in
            peer.count.add(1, ordering: .relaxed)
            // What breaks the connection is the test's business.
            try? await peer.serve(connection, Endpoint(limits: limits), react)
        }
        peer.server.withLock { $0 = server }
        return peer
    }

    var target: EndpointURL {
        get throws { try EndpointURL("ws://127.0.0.1:\(server.withLock { $0?.port } ?? 0)/db") }
    }

    func stop() async {
        isEnding.change { $0 = true }
        await server.withLock { $0 }?.stop()
    }

    private func serve(
        _ connection: any MessageConnection, _ endpoint: Endpoint, _ react: (BLIPAction, Endpoint) -> Reaction
    ) async throws {
        for try await frame in connection.messages {
            for action in try endpoint.receive(frame) {
                switch react(action, endpoint) {
                case .done: break
                case .ordinary: Self.answer(action, endpoint)
                case .stopReading, .sendAndStopReading:
                    while let frame = try endpoint.nextFrame() { try await connection.send([frame]) }
                    await isEnding.waitThroughCancellation { $0 }
                    return
                }
            }
            repeat {
                while let frame = try endpoint.nextFrame() { try await connection.send(frame) }
            } while Self.supply(endpoint)
        }
    }

    private static func answer(_ action: BLIPAction, _ endpoint: Endpoint) {
        guard case .request(let request) = action, request.wantsReply else { return }
        let body = request.profile == "getCollections" ? "[{}]" : ""
        endpoint.reply(to: request.number, with: BLIPOutgoing(["rev": "0-1"], body: Array(body.utf8)))
    }

    /// Streamed replies of this peer never end.
    private static func supply(_ endpoint: Endpoint) -> Bool {
        let streams = endpoint.multiplexer.takeWantedBodies()
        for stream in streams {
            let piece = [UInt8](repeating: 0x2A, count: endpoint.multiplexer.limits.sentFrameByteCount * 4)
            endpoint.multiplexer.supply(piece, isLast: false, to: stream)
        }
        return !streams.isEmpty
    }
}
