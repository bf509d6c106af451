public import SealiteCrypto

/// The secrets that one handshake presents. No description contains any of them.
public struct HandshakeSecrets: Sendable {
    /// The value of the `Authorization` header, such as `Basic …`; nil sends none.
    public var authorization: SharedSecret?
    /// The `name=value` pairs of the `Cookie` header.
    public var cookies: [SharedSecret]
    /// A certificate and its key for mutual TLS; nil offers none.
    public var identity: TransportIdentity?

    /// Creates the secrets of a handshake; none by default.
    public init(
        authorization: SharedSecret? = nil, cookies: [SharedSecret] = [], identity: TransportIdentity? = nil
    ) {
        self.authorization = authorization
        self.cookies = cookies
        self.identity = identity
    }

    /// Creates the secrets of Basic authentication (RFC 7617).
    ///
    /// - Throws: `badIdentity` for a user name with a colon.
    package static func basic(user: String, password: borrowing SecretBytes) throws(TransportError) -> Self {
        guard !user.utf8.contains(UInt8(ascii: ":")) else {
            throw TransportError(.badIdentity, "a user name for Basic authentication can't hold a colon")
        }
        let plain = SecretBytes.joined("\(user):", password, "")
        return HandshakeSecrets(authorization: SharedSecret(SecretBytes.base64("Basic ", plain)))
    }

    /// Creates the secrets of a bearer token (RFC 6750).
    package static func bearer(_ token: borrowing SecretBytes) -> Self {
        HandshakeSecrets(authorization: SharedSecret(SecretBytes.joined("Bearer ", token, "")))
    }

    /// Creates the secrets of a session cookie.
    package static func cookie(name: String, value: borrowing SecretBytes) -> Self {
        HandshakeSecrets(cookies: [SharedSecret(SecretBytes.joined("\(name)=", value, ""))])
    }

    /// A Boolean value that indicates whether the secrets include a header value (`Authorization` or a cookie), which
    /// an unencrypted connection would reveal.
    package var hasHeaders: Bool { authorization != nil || !cookies.isEmpty }
}

extension HandshakeSecrets: CustomStringConvertible, CustomReflectable {
    /// A text with the kinds of secrets that are present.
    public var description: String {
        let kinds = [
            authorization.map { _ in "a header" }, cookies.first.map { _ in "a cookie" },
            identity.map { _ in "a certificate" },
        ]
        .compactMap { $0 }
        return kinds.isEmpty ? "(no secrets)" : "(secrets: \(kinds.joined(separator: ", ")))"
    }
    /// An empty mirror, so that `dump` and the debugger show no secrets.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
