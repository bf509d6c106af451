package import SealiteCredentials

/// A WebSocket connection that carries binary messages, on a socket or within the process. Safe to use from any task.
package protocol MessageConnection: Sendable {
    /// The binary messages that the peer sends, in order. One task may read them, and holds the connection meanwhile, which closes
    /// with its last reference. Slow reading slows the peer.
    ///
    /// They end when this side has closed the connection, or the peer has with code 1000. Throws otherwise: `closedByPeer` with the peer's
    /// code, `lost` without a close frame, and so on.
    var received: MessageQueue { get }

    /// Sends binary messages; returns when the outbound buffer is below its high-water mark.
    ///
    /// A return doesn't mean that the messages have arrived. The messages of one call are written together.
    func send(_ messages: [[UInt8]]) async throws(TransportError)

    /// Sends a close frame (RFC 6455 §7.4), and closes the connection when the peer has responded, after 5 seconds at
    /// the latest.
    ///
    /// Messages sent before are written first. A second call does nothing.
    func close(code: UInt16, reason: String) async

    /// The result of the handshake: the HTTP response, certificates, addresses.
    var info: ConnectionInfo { get }
}

extension MessageConnection {
    /// Sends one binary message; returns when the outbound buffer is below its high-water mark.
    package func send(_ message: [UInt8]) async throws(TransportError) { try await send([message]) }
}

/// Opens the connection of a request: by `UpgradeRequest.connection()`, or in tests one end of a `MessagePipe`.
/// Cancelling the task ends the attempt.
package typealias Dial = @Sendable (UpgradeRequest) async throws(TransportError) -> any MessageConnection
