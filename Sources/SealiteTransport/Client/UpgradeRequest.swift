package import SealiteCredentials
package import SealiteCrypto

/// The input of a handshake: the endpoint, the credentials, the trust. Callers make one for each attempt.
package struct UpgradeRequest: Sendable {
    /// The database to connect to.
    package var endpoint: EndpointURL
    /// The subprotocols offered, the preferred first.
    package var subprotocols = ["BLIP_3+CBMobile_3", "BLIP_3+CBMobile_2"]
    /// The value of `User-Agent`.
    package var userAgent = "Sealite"
    /// Further headers. An `Authorization` among them replaces that of the credentials; a `Cookie` is joined with theirs.
    package var headers: [HTTPField] = []
    /// The credentials of this client.
    package var credentials = HandshakeCredentials()
    /// The rule by which the server's certificate is accepted.
    package var trust = ServerTrust.system()
    /// A proxy to go through; nil goes straight.
    package var proxy: HTTPProxy?
    /// The name or an address of the local interface to use; nil lets the system choose.
    package var networkInterface: String?
    /// The time from the name look-up to the answer, redirects included.
    package var handshakeTimeout: Duration = .seconds(60)
    /// The time after which an idle peer is sent a ping; the connection is lost if it doesn't answer for as long again.
    package var heartbeat: Duration = .seconds(300)
    /// The limits on the memory that the peer makes this side use.
    package var limits = ConnectionLimits()
    /// A Boolean value that indicates whether credentials may be sent unencrypted to another machine.
    package var allowsUnencryptedCredentials = false

    /// Makes a request with the defaults.
    package init(to endpoint: EndpointURL) { self.endpoint = endpoint }

    /// A Boolean value that indicates whether the request holds a credential that an unencrypted connection would reveal.
    var hasSecrets: Bool { credentials.hasHeaders || headers.contains(where: \.isSecret) }
}

/// The credentials that a client sends. No description has a secret.
package struct HandshakeCredentials: Sendable {
    /// The value of the `Authorization` header, as `Basic …`; nil sends none.
    package var authorization: SharedSecret?
    /// `name=value` pairs of the `Cookie` header.
    package var cookies: [SharedSecret] = []
    /// A certificate and its key for mutual TLS; nil offers none.
    package var identity: TransportIdentity?

    /// Makes credentials; none by default.
    package init(
        authorization: SharedSecret? = nil, cookies: [SharedSecret] = [], identity: TransportIdentity? = nil
    ) {
        self.authorization = authorization
        self.cookies = cookies
        self.identity = identity
    }

    /// Makes the credentials of Basic authentication (RFC 7617).
    ///
    /// - Throws: `badIdentity` for a user name with a colon.
    package static func basic(user: String, password: borrowing SecretBytes) throws(TransportError) -> Self {
        guard !user.utf8.contains(UInt8(ascii: ":")) else {
            throw TransportError(.badIdentity, "a user name for Basic authentication can't hold a colon")
        }
        let plain = SecretBytes.joined("\(user):", password, "")
        return HandshakeCredentials(authorization: SharedSecret(SecretBytes.base64("Basic ", plain)))
    }

    /// Makes the credentials of a session cookie.
    package static func cookie(name: String, value: borrowing SecretBytes) -> Self {
        HandshakeCredentials(cookies: [SharedSecret(SecretBytes.joined("\(name)=", value, ""))])
    }

    /// A Boolean value that indicates whether an unencrypted connection would reveal any of them.
    var hasHeaders: Bool { authorization != nil || !cookies.isEmpty }
}

/// The limits on the memory that a peer makes this side use.
package struct ConnectionLimits: Sendable, Hashable {
    /// The largest WebSocket message in bytes, whether in one frame or in fragments.
    package var messageByteCount = 1 << 20
    /// The number of received and unread bytes at which reading from the network stops.
    package var receivedByteCount = 256 << 10
    /// The number of bytes not yet written to the network at which sending waits.
    package var sentByteCount = 256 << 10
    /// The largest head of an HTTP request or answer in bytes.
    package var headByteCount = 32 << 10
    /// The largest number of redirects that are followed.
    package var redirectCount = 10

    /// Makes the default limits.
    package init() {}
}
