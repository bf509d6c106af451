package import SealiteCredentials

/// A WebSocket connection that carries binary messages, on a socket or within the process. Safe to use from any task.
package protocol MessageConnection: Sendable {
    /// The binary messages that the peer sends, in order. Only one task may read them. It must keep a reference to the
    /// connection meanwhile, because the connection is closed when its last reference is released. Slow reading slows
    /// the peer.
    ///
    /// The messages end when this side has closed the connection, or the peer has closed it with code 1000. If the
    /// connection ended in another way, reading throws: `closedByPeer` with the peer's code, `lost` without a close
    /// frame, and so on.
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
