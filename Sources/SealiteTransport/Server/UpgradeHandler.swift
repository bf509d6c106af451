internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL
internal import SealiteEndpoints

/// The server's side of one handshake: reads the request and lets `UpgradeRules` decide about it. Then it refuses or
/// answers the request and closes the connection, or upgrades it to WebSocket and passes it to `onConnection`.
final class UpgradeHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = Never
    typealias OutboundOut = HTTPServerResponsePart

    private enum State { case waiting, reading(HTTPRequestHead, [UInt8]), deciding, done }

    private let rules: UpgradeRules
    private let registry: ConnectionRegistry
    private let record: HandshakeRecord
    private let onConnection: @Sendable (WebSocketConnection) -> Void
    private let encoder = HTTPResponseEncoder()
    private let decoder: ByteToMessageHandler<HTTPRequestDecoder>
    private var state = State.waiting
    /// The address of the peer; nil until the request is complete.
    private var peer: PeerAddress?
    private var isReadHeld = false
    private var context: ChannelHandlerContext?

    init(
        _ rules: UpgradeRules, registry: ConnectionRegistry, record: HandshakeRecord,
        onConnection: @escaping @Sendable (WebSocketConnection) -> Void
    ) {
        self.rules = rules
        self.registry = registry
        self.record = record
        self.onConnection = onConnection
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = rules.configuration.limits.headByteCount
        limits.maxHeaderListSize = rules.configuration.limits.headByteCount
        limits.maxHeaderFieldCount = 200
        decoder = ByteToMessageHandler(
            HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes, limitConfiguration: limits))
    }

    /// Adds the HTTP encoder and decoder, and then this handler, to a pipeline.
    func add(to pipeline: ChannelPipeline.SynchronousOperations) throws {
        try pipeline.addHandlers([encoder, decoder])
        try pipeline.addHandler(self)
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func read(context: ChannelHandlerContext) {
        // Nothing more is read while the decision is pending.
        if case .deciding = state { isReadHeld = true } else { context.read() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch (Self.unwrapInboundIn(data), state) {
        case (.head(let head), .waiting):
            if let refusal = UpgradeRules.refusal(ofFramingIn: head) { return perform(refusal) }
            state = .reading(head, [])
        case (.body(let data), .reading(let head, let body)) where data.readableBytes > 0:
            guard rules.takesBody(head) else {
                return refuse(.payloadTooLarge, "Only a login may have a body")
            }
            guard body.count + data.readableBytes <= UpgradeRules.bodyLimit else {
                return refuse(.payloadTooLarge, "The body has more than \(UpgradeRules.bodyLimit) bytes")
            }
            state = .reading(head, body + data.readableBytesView)
        case (.end, .reading(let head, let body)): decide(head, body)
        default: break
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if error is HTTPParserError {
            return refuse(.badRequest, "The request isn't valid HTTP, or its head is too large")
        }
        if error is NIOSSLError { tell(.tls) }
        context.close(promise: nil)
    }

    private func decide(_ head: HTTPRequestHead, _ body: [UInt8]) {
        guard let context else { return }
        state = .deciding
        let rules = rules
        let address = peerAddress(head, context.channel)
        registry.asked(context.channel, network: address?.network ?? "")
        peer = address
        let loop = context.eventLoop
        let bound = NIOLoopBound(self, eventLoop: loop)
        Task {
            let decision = await rules.decide(head, body: body, from: address?.network ?? "")
            loop.execute { bound.value.perform(decision) }
        }
    }

    /// Returns the peer's IP address: the one that a trusted proxy reports in `X-Forwarded-For`, otherwise that of the
    /// connection.
    private func peerAddress(_ head: HTTPRequestHead, _ channel: any Channel) -> PeerAddress? {
        guard let remote = channel.remoteAddress.flatMap(PeerAddress.init) else { return nil }
        return TrustedProxies(ranges: rules.configuration.trustedProxies)
            .peer(of: remote, forwardedFor: head.headers["X-Forwarded-For"])
    }

    private func perform(_ decision: UpgradeRules.Decision) {
        switch decision {
        case .refuse(let status, let reason, let headers): refuse(status, reason, headers)
        case .answer(let body, let headers): answer(.ok, body, headers)
        case .accept(let acceptance):
            var info = ConnectionInfo(subprotocol: acceptance.subprotocol, peerCertificates: record.certificates)
            info.database = acceptance.database
            info.user = acceptance.user
            letIn(acceptance, info: info)
        }
    }

    private func refuse(_ status: HTTPResponseStatus, _ reason: String, _ more: HTTPHeaders = [:]) {
        tell(.request(status: Int(status.code)))
        answer(status, "{\"error\":\"\(status.reasonPhrase)\",\"reason\":\"\(reason)\"}", more)
    }

    private func tell(_ cause: HandshakeRefusal.Cause) {
        let own = context?.channel.remoteAddress.flatMap(PeerAddress.init)
        rules.configuration.onRefusal(HandshakeRefusal(cause: cause, peerAddress: (peer ?? own)?.text ?? ""))
    }

    /// Sends a response in JSON and closes the connection.
    private func answer(_ status: HTTPResponseStatus, _ json: String, _ more: HTTPHeaders) {
        guard let context else { return }
        state = .done
        var headers = more
        let body = context.channel.allocator.buffer(string: json)
        headers.add(name: "Content-Type", value: "application/json")
        headers.add(name: "Content-Length", value: "\(body.readableBytes)")
        headers.add(name: "Connection", value: "close")
        headers.add(name: "Server", value: rules.configuration.serverName)
        let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
        context.write(Self.wrapOutboundOut(.head(head)), promise: nil)
        context.write(Self.wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        let channel = context.channel
        context.writeAndFlush(Self.wrapOutboundOut(.end(nil))).whenComplete { _ in channel.close(promise: nil) }
    }

    /// Accepts the request if the limits allow one more peer.
    private func letIn(_ acceptance: UpgradeRules.Acceptance, info: ConnectionInfo) {
        guard let context else { return }
        switch registry.letIn(context.channel) {
        case nil: accept(acceptance, info: info)
        case .full?:
            refuse(.serviceUnavailable, "Too many connections. Try again later.", ["Retry-After": "10"])
        case .networkIsFull?:
            refuse(
                .tooManyRequests, "Too many connections from this address. Try again later.", ["Retry-After": "10"])
        }
    }

    private func accept(_ acceptance: UpgradeRules.Acceptance, info: ConnectionInfo) {
        guard let context else { return }
        state = .done
        var headers: HTTPHeaders = [
            "Connection": "Upgrade", "Upgrade": "websocket",
            "Sec-WebSocket-Accept": UpgradeKey.acceptance(of: acceptance.key),
            "Sec-WebSocket-Protocol": info.subprotocol, "Server": rules.configuration.serverName,
        ]
        headers.add(contentsOf: acceptance.headers)
        let head = HTTPResponseHead(version: .http1_1, status: .switchingProtocols, headers: headers)
        context.write(Self.wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(Self.wrapOutboundOut(.end(nil)), promise: nil)
        do {
            try handOver(context, info: info, isStillRight: acceptance.isStillRight)
        } catch {
            context.close(promise: nil)
        }
    }

    private func handOver(
        _ context: ChannelHandlerContext, info: ConnectionInfo, isStillRight: (@Sendable () async throws -> Bool)?
    ) throws {
        let channel = context.channel
        let pipeline = context.pipeline.syncOperations
        let configuration = rules.configuration
        var info = info
        let remote = channel.remoteAddress
        let isForwarded = peer != nil && peer != remote.flatMap(PeerAddress.init)
        info.peerAddress = isForwarded ? peer?.text ?? "" : remote.map(NetworkInterface.text) ?? ""
        if let tls = try? pipeline.handler(type: NIOSSLServerHandler.self) {
            info.tlsVersion = tls.tlsVersion.map(NetworkInterface.text)
        }
        let handler = WebSocketHandler(
            isClient: false, limits: configuration.limits, heartbeat: configuration.heartbeat,
            place: info.peerAddress)
        try pipeline.addWebSocket(handler, limits: configuration.limits)
        let connection = WebSocketConnection(channel: channel, handler: handler, info: info)
        let bound = NIOLoopBound(handler, eventLoop: context.eventLoop)
        registry.upgraded(channel, bound)
        if let isStillRight, let interval = configuration.passwordRecheckInterval {
            PasswordRecheck(interval: interval, time: configuration.time, isStillRight: isStillRight)
                .run(on: channel, handler: bound)
        }
        pipeline.removeHandler(encoder, promise: nil)
        pipeline.removeHandler(decoder, promise: nil)
        pipeline.removeHandler(context: context, promise: nil)
        onConnection(connection)
        if isReadHeld { channel.read() }
    }
}

/// Closes a connection if its peer sends nothing before a timeout, and removes itself when the first bytes arrive.
///
/// A client sends first, with TLS and without; a silent one only uses up a connection.
final class FirstByteHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let timeout: TimeAmount
    private var timer: Scheduled<Void>?

    init(timeout: TimeAmount) { self.timeout = timeout }

    func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        timer = context.eventLoop.scheduleTask(in: timeout) { channel.close(promise: nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        timer?.cancel()
        context.fireChannelRead(data)
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        context.fireChannelInactive()
    }
}

/// A handshake that a server refused, for its log.
package struct HandshakeRefusal: Sendable {
    /// The refused step: the TLS handshake, or the HTTP request with its status.
    package enum Cause: Sendable, Hashable {
        /// The request, which was refused with this HTTP status.
        case request(status: Int)
        /// TLS: the client's certificate is missing or not accepted, or the TLS handshake failed for another reason,
        /// for example because the two sides have no version of TLS in common.
        case tls
    }

    /// The refused step of the handshake.
    package let cause: Cause
    /// The peer's IP address: the one that a trusted proxy reports in `X-Forwarded-For`, otherwise that of the
    /// connection; empty if neither is known.
    package let peerAddress: String
}
