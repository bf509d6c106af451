internal import NIOCore
internal import NIOHTTP1

/// A client's side of one HTTP request on a fresh connection: sends it, collects the answer.
final class AnswerHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    /// Most bytes of an answer's body that are looked at.
    private static let bodyLimit = 8 << 10

    /// Time for the body, behind the head.
    private static let bodyTimeout = TimeAmount.seconds(2)

    private let request: HTTPRequestHead
    private let promise: EventLoopPromise<(head: HTTPResponseHead, body: [UInt8])>
    private let place: String
    private var head: HTTPResponseHead?
    private var body: [UInt8] = []
    private var isDone = false
    private var bodyTimer: Scheduled<Void>?

    /// - Parameters:
    ///   - request: what is sent.
    ///   - place: the peer, for errors.
    ///   - promise: gets the answer, while its end is being handled: HTTP can leave the pipeline before more arrives.
    init(
        _ request: HTTPRequestHead, place: String, promise: EventLoopPromise<(head: HTTPResponseHead, body: [UInt8])>
    ) {
        self.request = request
        self.place = place
        self.promise = promise
    }

    func handlerAdded(context: ChannelHandlerContext) {
        guard context.channel.isActive else { return fail(TransportError(.lost, "\(place) closed the connection")) }
        context.write(Self.wrapOutboundOut(.head(request)), promise: nil)
        context.writeAndFlush(Self.wrapOutboundOut(.end(nil)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isDone else { return }
        switch Self.unwrapInboundIn(data) {
        case .head(let head):
            // 100 to 199 but 101 announce another answer.
            guard head.status.code >= 200 || head.status == .switchingProtocols else { return }
            self.head = head
            // A redirect needs no body, and an error's may never end.
            if (300..<400).contains(head.status.code) {
                finish()
            } else {
                let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
                bodyTimer = context.eventLoop.scheduleTask(in: Self.bodyTimeout) { bound.value.finish() }
            }
        case .body(let part):
            body += part.readableBytesView.prefix(Self.bodyLimit - body.count)
            if body.count == Self.bodyLimit { finish() }
        case .end: finish()
        }
    }

    private func finish() {
        guard let head, !isDone else { return }
        isDone = true
        bodyTimer?.cancel()
        promise.succeed((head, body))
    }

    func channelInactive(context: ChannelHandlerContext) {
        // An answer may be cut within its body; what is there says enough.
        finish()
        fail(TransportError(.lost, "\(place) closed the connection during the handshake"))
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail(TransportError(error, place: place))
        context.close(promise: nil)
    }

    private func fail(_ error: TransportError) {
        guard !isDone else { return }
        isDone = true
        promise.fail(error)
    }
}

/// The HTTP handlers of a client's connection, which leave it together.
struct ClientHTTPHandlers {
    private let encoder: RequestEncoder
    private let keeper: CookieKeeper
    private let decoder: ByteToMessageHandler<HTTPResponseDecoder>

    /// - Parameters:
    ///   - secrets: what goes with the request, and nowhere else.
    ///   - limits: what the peer may make this side hold.
    init(_ secrets: RequestSecrets, limits: ConnectionLimits) {
        encoder = RequestEncoder(secrets)
        keeper = CookieKeeper(byteLimit: limits.headByteCount)
        var decoderLimits = NIOHTTPDecoderLimitConfiguration()
        decoderLimits.maxHeaderFieldSize = limits.headByteCount
        decoderLimits.maxHeaderListSize = limits.headByteCount
        decoderLimits.maxHeaderFieldCount = 200
        decoder = ByteToMessageHandler(
            HTTPResponseDecoder(leftOverBytesStrategy: .forwardBytes, limitConfiguration: decoderLimits))
    }

    /// The values of the answer's `Set-Cookie`.
    var cookies: [SharedSecret] { keeper.cookies }

    /// Adds them, and one that uses them.
    func add(to pipeline: ChannelPipeline.SynchronousOperations, with answer: AnswerHandler) throws {
        try pipeline.addHandlers([encoder, keeper, decoder])
        try pipeline.addHandler(answer)
    }

    /// Takes them out again. Bytes that they hold go to the handlers behind them before this is done.
    ///
    /// The decoder watches what is written, and traps on what is no HTTP: nothing may be written until it has left.
    func remove(
        from pipeline: ChannelPipeline.SynchronousOperations, with answer: AnswerHandler
    ) -> EventLoopFuture<Void> {
        pipeline.removeHandler(answer, promise: nil)
        pipeline.removeHandler(encoder, promise: nil)
        pipeline.removeHandler(keeper, promise: nil)
        return pipeline.removeHandler(decoder)
    }
}

/// Holds what arrives until the handlers for it are there.
final class ReadHolder: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    private var held: [NIOAny] = []

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { held.append(data) }

    func removeHandler(context: ChannelHandlerContext, removalToken: ChannelHandlerContext.RemovalToken) {
        for data in held { context.fireChannelRead(data) }
        held = []
        context.leavePipeline(removalToken: removalToken)
    }
}
