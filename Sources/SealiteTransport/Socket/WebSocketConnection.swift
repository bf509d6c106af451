internal import SealiteCredentials
internal import NIOCore

/// A WebSocket connection on a socket: the interface of tasks to a `WebSocketHandler`, which runs on an event loop.
final class WebSocketConnection: MessageConnection {
    let channel: any Channel
    private let handler: NIOLoopBound<WebSocketHandler>
    let received: MessageQueue
    private let gate: SendWindow
    let info: ConnectionInfo

    /// Creates the connection of a handler. Runs on the channel's event loop.
    init(channel: any Channel, handler: WebSocketHandler, info: ConnectionInfo) {
        self.channel = channel
        self.handler = NIOLoopBound(handler, eventLoop: channel.eventLoop)
        received = handler.queue
        gate = handler.gate
        self.info = info
    }

    deinit {
        // Nothing can read or close the channel any more.
        channel.close(promise: nil)
    }

    func send(_ messages: [[UInt8]]) async throws(TransportError) {
        let byteCount = messages.reduce(0) { $0 + $1.count + WebSocketHandler.headerByteCount }
        try gate.begin(byteCount)
        let handler = handler
        channel.eventLoop.execute { handler.value.send(messages, byteCount: byteCount) }
        try await gate.waitForRoom()
    }

    func close(code: UInt16, reason: String) async {
        let handler = handler
        channel.eventLoop.execute { handler.value.close(code: code, reason: reason) }
        try? await channel.closeFuture.get()
    }
}

extension WebSocketConnection: CustomStringConvertible, CustomReflectable {
    var description: String { "WebSocket connection with \(info.peerAddress)" }
    var customMirror: Mirror { Mirror(self, children: ["info": info]) }
}
