/// A handshake that a server refused, for its log.
package struct HandshakeRefusal: Sendable {
    /// The refused step: the TLS handshake, or the HTTP request with its status.
    package enum Cause: Sendable, Hashable {
        /// The request, which was refused with this HTTP status.
        case request(status: Int)
        /// TLS: the client's certificate is missing or not accepted, or the TLS handshake failed for another reason,
        /// for example because the two sides have no version of TLS in common.
        case tls
    }

    /// The refused step of the handshake.
    package let cause: Cause
    /// The peer's IP address: the one that a trusted proxy reports in `X-Forwarded-For`, otherwise that of the
    /// connection; empty if neither is known.
    package let peerAddress: String
}
