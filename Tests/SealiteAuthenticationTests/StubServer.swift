import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization

/// A request as the server read it.
struct Received: Sendable {
    var method = ""
    var uri = ""
    var headers: [String: String] = [:]
    var body: [UInt8] = []
}

/// An answer of the server.
struct Reply: Sendable {
    var status = 200
    var headers: [(String, String)] = []
    var body = ""
    /// A Boolean value that says whether the server sends nothing at all.
    var isSilent = false
    /// The number of bytes of the body that the server announces and never sends.
    var missingByteCount = 0
}

/// An HTTP server on a free port of the loopback address, whose answers a test writes. It ends with the value.
final class StubServer: Sendable {
    let port: Int
    private let group: MultiThreadedEventLoopGroup
    private let recorder = Recorder()

    /// The requests in the order in which they came.
    var requests: [Received] { recorder.all }

    init(
        tls: TLSConfiguration? = nil, _ answer: @escaping @Sendable (Received) -> Reply
    ) throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let recorder = recorder
        let context = try tls.map { try NIOSSLContext(configuration: $0) }
        let channel = try ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let context {
                        try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                    }
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(StubHandler(log: recorder, answer: answer))
                }
            }
            .bind(host: "127.0.0.1", port: 0).wait()
        port = channel.localAddress?.port ?? 0
        self.group = group
    }

    deinit { group.shutdownGracefully { _ in } }
}

/// A list of received requests that several connections append to.
final class Recorder: Sendable {
    private let list = Mutex<[Received]>([])
    var all: [Received] { list.withLock { $0 } }
    func add(_ request: Received) { list.withLock { $0.append(request) } }
}

private final class StubHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart
    private let log: Recorder
    private let answer: @Sendable (Received) -> Reply
    private var request = Received()

    init(log: Recorder, answer: @escaping @Sendable (Received) -> Reply) {
        self.log = log
        self.answer = answer
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            request = Received(method: head.method.rawValue, uri: head.uri)
            for (name, value) in head.headers { request.headers[name.lowercased()] = value }
        case .body(let part): request.body += Array(part.readableBytesView)
        case .end:
            log.add(request)
            let reply = answer(request)
            guard !reply.isSilent else { return }
            var headers = HTTPHeaders(reply.headers)
            let byteCount = reply.body.utf8.count + reply.missingByteCount
            headers.replaceOrAdd(name: "Content-Length", value: "\(byteCount)")
            let head = HTTPResponseHead(
                version: .http1_1, status: HTTPResponseStatus(statusCode: reply.status), headers: headers)
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: reply.body)))), promise: nil)
            guard reply.missingByteCount == 0 else { return }
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
    }
}
