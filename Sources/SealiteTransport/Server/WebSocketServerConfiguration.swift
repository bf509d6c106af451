package import SealiteBase
package import SealiteCredentials
package import SealiteCrypto

/// The configuration of a server of WebSocket connections: address, TLS, access checks, limits.
package struct WebSocketServerConfiguration: Sendable {
    /// The port; 0 lets the system choose a free one.
    package var port = 0
    /// The name or an address of the interface to listen at; nil takes all. Default `127.0.0.1`, this machine only.
    package var networkInterface: String? = "127.0.0.1"
    /// Certificate and key for TLS; nil listens without TLS.
    package var identity: TransportIdentity?
    /// The client certificates that are asked for.
    package var clientCertificates = ClientCertificatePolicy.notAsked
    /// Returns whether a user's password is right; nil requires no password. It is called in each handshake (HTTP
    /// Basic) and login, and again for open connections. If it throws in a handshake or login, the response has the
    /// status 503.
    package var passwordCheck: (@Sendable (_ user: String, _ password: SharedSecret) async throws -> Bool)?
    /// The time after which the password of an open connection is checked again; nil checks it in the handshake alone.
    package var passwordRecheckInterval: Duration? = .seconds(60)
    /// The lifetime of a session that a user has created by `POST /{database}/_session` with the password. The session
    /// is accepted in place of the password for as long as the password is right. Nil, or a nil `passwordCheck`,
    /// disables sessions.
    package var sessionLifetime: Duration?
    /// The time source for the expiry of sessions and for the pauses after wrong passwords.
    package var time: any TimeSource = SystemTime()
    /// Returns whether there is a database of this name; requests for others are answered with 404.
    package var hasDatabase: @Sendable (_ name: String) async -> Bool = { _ in true }
    /// The accepted subprotocols; the first one that the client offers is chosen.
    package var subprotocols = ["BLIP_3+CBMobile_3", "BLIP_3+CBMobile_2"]
    /// The value of the `Server` header.
    package var serverName = "Sealite"
    /// The largest number of simultaneous peers; further ones are answered with 503.
    package var maximumConnectionCount = 256
    /// The largest number of simultaneous peers from one IPv4 address, or one IPv6 network of 64 bits; further ones are
    /// answered with 429.
    package var connectionsPerAddress = 64
    /// The reverse proxies whose `X-Forwarded-For` names a peer's address. All peers of any other proxy share its
    /// address.
    package var trustedProxies: [AddressRange] = []
    /// The time for TLS and the upgrade together.
    package var handshakeTimeout: Duration = .seconds(30)
    /// The time until the peer's first byte, of TLS or of the request.
    package var firstByteTimeout: Duration = .seconds(5)
    /// The largest number of handshakes in progress; above it the oldest handshake of the address with the most
    /// handshakes is closed.
    package var handshakeLimit = 64
    /// The time after which an idle peer is sent a ping; the connection is lost if the peer doesn't respond within the
    /// same time again.
    package var heartbeat: Duration = .seconds(300)
    /// Called, on any thread, for each handshake that is refused.
    package var onRefusal: @Sendable (HandshakeRefusal) -> Void = { _ in }
    /// The limits on the memory that a peer makes this side use.
    package var limits = ConnectionLimits()

    /// Creates the default configuration: this machine only, any port, no TLS, no authentication.
    package init() {}
}
