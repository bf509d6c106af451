internal import NIOCore

/// Counts what a server does, for metrics.
package protocol ServerObserver: AnyObject, Sendable {
    /// Called for each TCP connection that is accepted, before its handshake.
    func opened()
    /// Called when such a connection is closed.
    func closed()
    /// Called for bytes that were read from a socket: of TLS where it is used, and of the handshake too.
    func received(byteCount: Int)
    /// Called for bytes that are written to a socket.
    func sent(byteCount: Int)
}

/// Counts the bytes of one connection, beside the socket.
final class TrafficCounter: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let observer: any ServerObserver

    init(_ observer: any ServerObserver) { self.observer = observer }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        observer.received(byteCount: Self.unwrapInboundIn(data).readableBytes)
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        observer.sent(byteCount: Self.unwrapOutboundIn(data).readableBytes)
        context.write(data, promise: promise)
    }
}
