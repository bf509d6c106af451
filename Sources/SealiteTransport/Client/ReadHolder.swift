internal import NIOCore
internal import SealiteCredentials
internal import SealiteCrypto

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
