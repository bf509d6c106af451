package import SealiteCredentials

/// One WebSocket connection that carries BLIP frames, whatever is below it. Safe to use from any task.
package protocol FrameConnection: Sendable {
    /// The binary messages that the peer sends, in order. Iterated once. Reading slowly slows the peer.
    ///
    /// Ends when this side closed, or the peer did with code 1000; throws a ``TransportError`` otherwise: `closedByPeer`
    /// with the peer's code, `lost` without a close frame, and so on.
    var frames: FrameSequence { get }

    /// Sends binary messages; returns when the outbound buffer is below its high-water mark.
    ///
    /// Returning says nothing about arrival. Several messages in one call reach the network together.
    func send(_ frames: [[UInt8]]) async throws(TransportError)

    /// Closes with a close frame (RFC 6455 §7.4), or at once if the peer does not answer within a few seconds.
    ///
    /// What was sent before goes out first. Closing twice does nothing.
    func close(code: UInt16, reason: String) async

    /// What the handshake showed: the HTTP answer, certificates, addresses.
    var info: ConnectionInfo { get }
}

extension FrameConnection {
    /// Sends one binary message; returns when the outbound buffer is below its high-water mark.
    package func send(_ frame: [UInt8]) async throws(TransportError) { try await send([frame]) }
}

/// Opens connections: the real one dials, tests hand out one end of a ``FramePipe``.
package protocol FrameDialer: Sendable {
    /// Opens a connection and upgrades it to WebSocket. Cancelling the task gives up.
    func dial(_ request: UpgradeRequest) async throws(TransportError) -> any FrameConnection
}
