internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
package import SealiteEndpoints
internal import Synchronization

/// A server of one page over HTTP/1.1 without TLS, on 127.0.0.1 alone, for programs that watch this one. Thread-safe.
///
/// A client gets one response. The number of connections, their time, and the size of a request are bounded, and no
/// error of a client reaches the rest of the program.
package final class PageServer: Sendable {
    /// A page: its type and its bytes.
    package struct Page: Sendable {
        package let contentType: String
        package let body: [UInt8]

        package init(contentType: String, body: [UInt8]) { (self.contentType, self.body) = (contentType, body) }
    }

    /// The limits that a client can't exceed.
    struct Limits: Sendable {
        /// The largest number of simultaneous connections; further ones are closed at once.
        var connections = 16
        /// The time from the connection to the end of the response.
        var time = Duration.seconds(10)
        /// The largest number of bytes of a request's line and headers.
        var headByteCount = 8 << 10
    }

    private let channel: any Channel
    /// The port that the server listens on.
    package let port: Int

    private init(channel: any Channel, port: Int) { (self.channel, self.port) = (channel, port) }

    deinit { channel.close(promise: nil) }

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - port: the port; 0 lets the system choose a free one.
    ///   - path: the path of the page, such as `/metrics`.
    ///   - page: makes the page, in a task of its own.
    /// - Returns: the server, which stops listening when its last reference is released.
    /// - Throws: `addressUnavailable`.
    package static func start(
        port: Int, path: String, page: @escaping @Sendable () async -> Page
    ) async throws(TransportError) -> PageServer {
        try await start(port: port, path: path, limits: Limits(), page: page)
    }

    static func start(
        port: Int, path: String, limits: Limits, page: @escaping @Sendable () async -> Page
    ) async throws(TransportError) -> PageServer {
        let count = ConnectionCount()
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 16)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard count.enter(limit: limits.connections) else {
                        throw TransportError(.closed, "there are too many connections")
                    }
                    channel.closeFuture.whenComplete { _ in count.leave() }
                    let handler = PageHandler(path: path, limits: limits, page: page)
                    try handler.add(to: channel.pipeline.syncOperations)
                }
            }
        do {
            let channel = try await bootstrap.bind(host: "127.0.0.1", port: port).get()
            return PageServer(channel: channel, port: channel.localAddress?.port ?? 0)
        } catch {
            throw TransportError(listening: error, place: "port \(port)")
        }
    }

    /// Stops listening. Responses that have begun are finished.
    package func stop() async { try? await channel.close() }
}

extension PageServer: CustomStringConvertible, CustomReflectable {
    /// The server with its port, for logs.
    package var description: String { "page server at port \(port)" }
    /// The port.
    package var customMirror: Mirror { Mirror(self, children: ["port": port]) }
}

/// The number of open connections. Thread-safe.
private final class ConnectionCount: Sendable {
    private let count = Atomic<Int>(0)

    /// Counts a connection; returns false, and counts nothing, if there are `limit` already.
    func enter(limit: Int) -> Bool {
        if count.add(1, ordering: .relaxed).newValue <= limit { return true }
        leave()
        return false
    }

    func leave() { count.subtract(1, ordering: .relaxed) }
}

/// Answers the one request of a connection, and closes it.
private final class PageHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private enum State { case waiting, reading(HTTPRequestHead), answered }

    private let path: String
    private let limits: PageServer.Limits
    private let page: @Sendable () async -> PageServer.Page
    private var state = State.waiting
    private var timer: Scheduled<Void>?
    private var context: ChannelHandlerContext?

    init(path: String, limits: PageServer.Limits, page: @escaping @Sendable () async -> PageServer.Page) {
        (self.path, self.limits, self.page) = (path, limits, page)
    }

    func add(to pipeline: ChannelPipeline.SynchronousOperations) throws {
        var decoding = NIOHTTPDecoderLimitConfiguration()
        decoding.maxHeaderFieldSize = limits.headByteCount
        decoding.maxHeaderListSize = limits.headByteCount
        decoding.maxHeaderFieldCount = 100
        try pipeline.addHandlers([
            HTTPResponseEncoder(),
            ByteToMessageHandler(
                HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes, limitConfiguration: decoding)),
        ])
        try pipeline.addHandler(self)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        let channel = context.channel
        timer = context.eventLoop.scheduleTask(in: TimeAmount(limits.time)) { channel.close(promise: nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch (Self.unwrapInboundIn(data), state) {
        case (.head(let head), .waiting): state = .reading(head)
        case (.body, .reading(let head)):
            answer(.payloadTooLarge, "a request for this page has no body\n", of: head)
        case (.end, .reading(let head)): decide(head)
        default: break
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard error is HTTPParserError, case .waiting = state else { return context.close(promise: nil) }
        answer(.badRequest, "this isn't valid HTTP, or its head is too large\n", of: nil)
    }

    private func decide(_ head: HTTPRequestHead) {
        guard let context else { return }
        // A page of the web whose host name was changed to this machine's address would be read by its browser.
        guard head.headers["Host"].allSatisfy(Self.isLocal), !head.headers.contains(name: "Origin") else {
            return answer(
                .forbidden, "this page is for programs of this machine, by the name 127.0.0.1 or localhost\n", of: head)
        }
        guard head.uri.prefix(while: { $0 != "?" }) == path else {
            return answer(.notFound, "the page is \(path)\n", of: head)
        }
        guard [.GET, .HEAD].contains(head.method) else {
            return answer(.methodNotAllowed, "only GET and HEAD are allowed\n", of: head, ["Allow": "GET, HEAD"])
        }
        state = .answered
        let page = page
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        let loop = context.eventLoop
        Task {
            let made = await page()
            loop.execute { bound.value.send(.ok, made, of: head, [:]) }
        }
    }

    /// Returns whether the value of `Host` names this machine's loopback interface.
    private static func isLocal(_ value: String) -> Bool {
        let host = value.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)[0].lowercased()
        return ["127.0.0.1", "localhost"].contains(host)
    }

    private func answer(
        _ status: HTTPResponseStatus, _ text: String, of head: HTTPRequestHead?, _ more: HTTPHeaders = [:]
    ) {
        state = .answered
        send(status, PageServer.Page(contentType: "text/plain; charset=utf-8", body: Array(text.utf8)), of: head, more)
    }

    private func send(
        _ status: HTTPResponseStatus, _ page: PageServer.Page, of request: HTTPRequestHead?, _ more: HTTPHeaders
    ) {
        guard let context else { return }
        var headers = more
        headers.add(name: "Content-Type", value: page.contentType)
        headers.add(name: "Content-Length", value: "\(page.body.count)")
        headers.add(name: "Cache-Control", value: "no-store")
        headers.add(name: "Connection", value: "close")
        let response = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
        context.write(Self.wrapOutboundOut(.head(response)), promise: nil)
        if request?.method != .HEAD {
            let body = context.channel.allocator.buffer(bytes: page.body)
            context.write(Self.wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        }
        let channel = context.channel
        context.writeAndFlush(Self.wrapOutboundOut(.end(nil))).whenComplete { _ in channel.close(promise: nil) }
    }
}
