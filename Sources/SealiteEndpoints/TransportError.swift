public import FoundationEssentials
public import SealiteBase

/// The reason for which a connection could not be opened, or ended.
///
/// Errors are equal if their codes are equal; the reason is for people. No error contains a credential.
public struct TransportError: SealiteError, Sendable, Equatable {
    /// The kinds of failure.
    public enum Code: Sendable, Hashable {
        /// The text isn't a `ws` or `wss` URL, or the URL has a user name, a query or a fragment.
        case invalidURL
        /// No network interface has this name or address.
        case interfaceNotFound
        /// The host name has no address.
        case unknownHost
        /// The name service didn't respond; this may be temporary, for a name that exists.
        case nameServiceFailed
        /// No program listens at the address.
        case connectionRefused
        /// The network or the host can't be reached.
        case unreachable
        /// The connection, the handshake or the response wasn't complete in time.
        case timedOut
        /// The connection was cut or ended without a close frame, or the peer stopped answering.
        case lost
        /// The peer sent a close frame with this status code (RFC 6455 §7.4).
        case closedByPeer(Int)
        /// The peer violated HTTP or WebSocket.
        case protocolViolation
        /// The peer sent a message larger than the limit.
        case frameTooLarge
        /// The server refused the upgrade with this HTTP status.
        case http(Int)
        /// The server chose none of the offered WebSocket subprotocols.
        case noCommonProtocol
        /// The proxy refused with this HTTP status.
        case proxyRefused(Int)
        /// The server redirected more often than the limit allows, for example in a loop.
        case tooManyRedirects
        /// A redirect refers to an invalid URL, or from TLS to an unencrypted connection.
        case invalidRedirect
        /// The server's certificate, or an issuer's, is no longer valid.
        case certificateExpired
        /// The server's certificate, or an issuer's, is not valid yet.
        case certificateNotYetValid
        /// The server's certificate wasn't issued by a trusted issuer.
        case unknownIssuer
        /// The server's certificate is for another host.
        case wrongHost
        /// The server's certificate matches no pinned certificate or key, and no pinned issuer issued it.
        case pinMismatch
        /// The client accepts only a single self-signed certificate, and the server presented something else.
        case notSelfSigned
        /// The server's certificate isn't acceptable for another reason.
        case certificateUntrusted
        /// The server requires a client certificate, and none was given.
        case clientCertificateRequired
        /// The server refuses the client certificate.
        case clientCertificateRejected
        /// A certificate or private key of this side, or a certificate that it trusts, is malformed or missing, the key
        /// and the certificate aren't a pair, or the user name for Basic authentication contains a colon.
        case badIdentity
        /// TLS failed for another reason.
        case tlsFailed
        /// A credential would have been sent over an unencrypted connection.
        case unencryptedCredential
        /// A header or a credential that the caller set can't be sent in an HTTP request.
        case invalidHeader
        /// The local side has closed the connection.
        case closed
        /// The task was cancelled.
        case cancelled
        /// The address to listen at is in use, its use isn't permitted, or this machine doesn't have it.
        case addressUnavailable
        /// Another error of the system.
        case system(errno: Int32)
    }

    /// The ways to recover from a failure.
    public enum Recovery: Sendable, Hashable {
        /// Trying again later.
        case transient
        /// Trying again when the network has changed.
        case network
        /// No recovery without a change on either side.
        case permanent
    }

    /// The kind of failure.
    public let code: Code
    /// A description of the failure for people.
    public let reason: String
    /// The code in lowercase words with hyphens between them, such as `unknown-host`.
    public var identifier: String { Self.identifier(of: code) }
    /// A Boolean value that says whether another attempt may succeed: the server or the network failed for now.
    public var isTransient: Bool { recovery != .permanent }
    /// The server's HTTP response that refused the upgrade to WebSocket; nil if the failure had another reason.
    public package(set) var answer: HTTPAnswer?
    /// The certificates that the server presented, leaf first, as X.509 DER; also present if TLS failed because of
    /// them.
    public package(set) var serverCertificates: [[UInt8]] = []

    /// Creates an error; `reason` must not contain a credential.
    package init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    /// Returns the error for a peer's close frame.
    package static func closedByPeer(code: Int, reason: String) -> TransportError {
        TransportError(
            .closedByPeer(code),
            "the peer closed the connection with code \(code)" + (reason.isEmpty ? "" : ": \(printable(reason))"))
    }

    /// Returns whether two errors have the same code.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

    /// The way to recover.
    public var recovery: Recovery {
        switch code {
        case .http(let status), .proxyRefused(let status):
            [408, 429, 502, 503, 504].contains(status) ? .transient : .permanent
        case .closedByPeer(let code): code == 1_006 || code == 4_001 ? .transient : .permanent
        case .connectionRefused, .lost, .timedOut, .nameServiceFailed: .transient
        case .unreachable, .unknownHost, .interfaceNotFound: .network
        default: .permanent
        }
    }
}

extension TransportError: CustomDebugStringConvertible, CustomReflectable {
    /// The same as ``reason``.
    public var description: String { reason }
    /// The code and the reason.
    public var debugDescription: String { "\(code): \(reason)" }
    /// The code, the reason and the response, and the number of certificates.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "code": code, "reason": reason, "answer": answer as Any, "certificateCount": serverCertificates.count,
            ])
    }
}

extension TransportError: LocalizedError {
    /// The same as the error's `reason`.
    public var errorDescription: String? { reason }
}
