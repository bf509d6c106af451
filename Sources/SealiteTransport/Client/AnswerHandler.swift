internal import NIOCore
internal import NIOHTTP1
internal import SealiteCrypto
internal import SealiteEndpoints

/// The client's side of one HTTP request on a new connection: sends the request and collects the response.
final class AnswerHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    /// The part of a response's body that is read.
    enum Extent: Sendable {
        /// The beginning of the body: up to `beginningByteCount` bytes (8 KiB), as far as they arrive within
        /// `bodyTimeout` (2 s) after the head. It contains the server's error message, which becomes part of the error.
        case beginning
        /// The whole body of a successful response, which fails if it exceeds `byteLimit`; the beginning of the body of
        /// any other response.
        case whole(byteLimit: Int)
    }

    /// The maximum number of bytes that are read for `Extent.beginning`.
    private static let beginningByteCount = 8 << 10

    /// The time, from the head of the response, after which reading for `Extent.beginning` ends.
    private static let bodyTimeout = TimeAmount.seconds(2)

    private let request: HTTPRequestHead
    private let extent: Extent
    private let promise: EventLoopPromise<(head: HTTPResponseHead, body: [UInt8])>
    private let place: String
    private var head: HTTPResponseHead?
    private var body: [UInt8] = []
    private var isDone = false
    private var bodyTimer: Scheduled<Void>?

    /// Creates a handler, which sends the request as soon as it is added to a pipeline.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - extent: the part of the body to read.
    ///   - place: the peer, for errors.
    ///   - promise: completed with the response while its last part is being handled, so that the HTTP handlers can be
    ///     removed from the pipeline before further bytes arrive.
    init(
        _ request: HTTPRequestHead, reading extent: Extent, place: String,
        promise: EventLoopPromise<(head: HTTPResponseHead, body: [UInt8])>
    ) {
        self.request = request
        self.extent = extent
        self.place = place
        self.promise = promise
    }

    func handlerAdded(context: ChannelHandlerContext) {
        guard context.channel.isActive else {
            return fail(TransportError(.lost, "\(place) closed the connection before the request was sent"))
        }
        context.write(Self.wrapOutboundOut(.head(request)), promise: nil)
        context.writeAndFlush(Self.wrapOutboundOut(.end(nil)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isDone else { return }
        switch Self.unwrapInboundIn(data) {
        case .head(let head): begin(head, context)
        case .body(let part): take(part)
        case .end: finish()
        }
    }

    private func begin(_ head: HTTPResponseHead, _ context: ChannelHandlerContext) {
        // A status from 100 to 199, except 101, is followed by another response.
        guard head.status.code >= 200 || head.status == .switchingProtocols else { return }
        self.head = head
        if wholeByteLimit != nil { return }
        // The body of a redirect isn't needed, and the body of an error may never end.
        if (300..<400).contains(head.status.code) { return finish() }
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        bodyTimer = context.eventLoop.scheduleTask(in: Self.bodyTimeout) { bound.value.finish() }
    }

    /// The maximum number of bytes of a response that has to be read completely; nil for a response of which only the
    /// beginning is read.
    private var wholeByteLimit: Int? {
        guard case .whole(let limit) = extent, let head, (200..<300).contains(head.status.code) else { return nil }
        return limit
    }

    private func take(_ part: ByteBuffer) {
        if let limit = wholeByteLimit {
            guard body.count + part.readableBytes <= limit else {
                return fail(
                    TransportError(
                        .protocolViolation, "the body of the HTTP response of \(place) exceeds \(limit) bytes"))
            }
            body += part.readableBytesView
        } else {
            body += part.readableBytesView.prefix(Self.beginningByteCount - body.count)
            if body.count == Self.beginningByteCount { finish() }
        }
    }

    private func finish() {
        guard let head, !isDone else { return }
        isDone = true
        bodyTimer?.cancel()
        promise.succeed((head, body))
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(TransportError(.lost, "\(place) closed the connection before its response was complete"))
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        end(TransportError(error, place: place))
        context.close(promise: nil)
    }

    /// Ends the wait for the rest of the response, which won't arrive. The received part of the body is enough, unless
    /// the whole body is required.
    private func end(_ error: TransportError) {
        if wholeByteLimit == nil { finish() }
        fail(error)
    }

    private func fail(_ error: TransportError) {
        guard !isDone else { return }
        isDone = true
        bodyTimer?.cancel()
        promise.fail(error)
    }
}

/// The HTTP handlers of a client's connection, which are removed together.
struct ClientHTTPHandlers {
    private let encoder: ClientRequest.Encoder
    private let extractor: SetCookieExtractor
    private let decoder: ByteToMessageHandler<HTTPResponseDecoder>

    /// Creates the handlers for the only request of a connection.
    ///
    /// - Parameters:
    ///   - encoder: writes the request; it alone has its secrets.
    ///   - limits: the limits on the head of the response.
    init(_ encoder: ClientRequest.Encoder, limits: ConnectionLimits) {
        self.encoder = encoder
        extractor = SetCookieExtractor(byteLimit: limits.headByteCount)
        var decoderLimits = NIOHTTPDecoderLimitConfiguration()
        decoderLimits.maxHeaderFieldSize = limits.headByteCount
        decoderLimits.maxHeaderListSize = limits.headByteCount
        decoderLimits.maxHeaderFieldCount = 200
        decoder = ByteToMessageHandler(
            HTTPResponseDecoder(leftOverBytesStrategy: .forwardBytes, limitConfiguration: decoderLimits))
    }

    /// The values of the response's `Set-Cookie` headers.
    var cookies: [SharedSecret] { extractor.cookies }

    /// Adds the HTTP handlers and `answer`, which sends the request, to a pipeline.
    func add(to pipeline: ChannelPipeline.SynchronousOperations, with answer: AnswerHandler) throws {
        try pipeline.addHandlers([encoder, extractor, decoder])
        try pipeline.addHandler(answer)
    }

    /// Removes the handlers. Bytes that they hold are passed to the next handlers of the pipeline before the future
    /// succeeds.
    ///
    /// The decoder also sees outbound writes, and traps on anything but HTTP: nothing may be written until it is
    /// removed.
    func remove(
        from pipeline: ChannelPipeline.SynchronousOperations, with answer: AnswerHandler
    ) -> EventLoopFuture<Void> {
        pipeline.removeHandler(answer, promise: nil)
        pipeline.removeHandler(encoder, promise: nil)
        pipeline.removeHandler(extractor, promise: nil)
        return pipeline.removeHandler(decoder)
    }
}

/// Holds inbound data until the handlers for it have been added.
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
