/// A handshake that a server refused, for its log.
package struct HandshakeRefusal: Sendable {
    /// What was refused.
    package enum Cause: Sendable, Hashable {
        /// The request, with this HTTP status.
        case request(status: Int)
        /// TLS: the client's certificate is missing or not accepted, or the two sides have nothing in common.
        case tls
    }

    /// What was refused.
    package let cause: Cause
    /// The peer's address, as a trusted proxy names it or the connection's own; empty where neither is known.
    package let peerAddress: String
}
