internal import NIOCore
internal import NIOHTTP1
internal import SealiteCredentials
internal import SealiteCrypto

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
