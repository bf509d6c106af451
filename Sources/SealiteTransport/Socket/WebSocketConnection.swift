internal import NIOCore
package import SealiteEndpoints

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

/// The result of a handshake: protocol, certificates, addresses.
package struct ConnectionInfo: Sendable {
    /// The negotiated subprotocol, as `BLIP_3+CBMobile_3`.
    package var subprotocol: String
    /// The HTTP response to the upgrade; nil on the server's side.
    package var answer: HTTPAnswer?
    /// The peer's certificates, leaf first, as X.509 DER: the server's, or on the server's side the client's. Empty
    /// without TLS, and if a client wasn't asked for a certificate.
    package var peerCertificates: [[UInt8]] = []
    /// The TLS version, as `TLSv1.3`; nil without TLS.
    package var tlsVersion: String?
    /// The address of the peer, as `127.0.0.1:4984`; without port where a trusted proxy named it.
    package var peerAddress = ""
    /// The database that the client asked for; empty on the client's side.
    package var database = ""
    /// The user whose password the server accepted; nil without one, and on the client's side.
    package var user: String?
}

extension ConnectionInfo {
    /// Creates the result of a handshake in which this subprotocol was chosen.
    package init(subprotocol: String) { self.init(subprotocol: subprotocol, answer: nil) }

    /// The identifier of this connection in the server's log (`X-Correlation-ID`); nil without one.
    package var correlationID: String? { answer?["X-Correlation-ID"] }
}

/// The limits on the memory that a peer makes this side use.
package struct ConnectionLimits: Sendable, Hashable {
    /// The largest WebSocket message that is received, in bytes, whether in one frame or in fragments.
    package var messageByteCount = 1 << 20
    /// The number of received and unread bytes at which reading from the network stops.
    package var receivedByteCount = 256 << 10
    /// The number of bytes not yet written to the network at which sending waits.
    package var sentByteCount = 256 << 10
    /// The maximum size of the head of an HTTP request or response, in bytes.
    package var headByteCount = 32 << 10
    /// The largest number of redirects that are followed.
    package var redirectCount = 10

    /// Creates the default limits.
    package init() {}
}
