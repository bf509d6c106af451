/// What a server of WebSocket connections listens at, and whom it lets in.
public struct FrameServerConfiguration: Sendable {
    /// The port; 0 takes any that is free.
    public var port = 0
    /// The name or an address of the interface to listen at; nil takes all. Default `127.0.0.1`, this machine only.
    public var networkInterface: String? = "127.0.0.1"
    /// Certificate and key for TLS; nil listens without TLS.
    public var identity: TransportIdentity?
    /// Which client certificates are asked for.
    public var clientCertificates = ClientCertificatePolicy.notAsked
    /// Checks a user's password in each handshake (HTTP Basic); nil asks for none. What it throws is answered with 503.
    public var passwordCheck: (@Sendable (_ user: String, _ password: SharedSecret) async throws -> Bool)?
    /// The lifetime of a session that a user got by `POST /{database}/_session` with the password; it is then accepted in place
    /// of the password, while that stays right. Without a value, or without a check of passwords, there are no sessions.
    public var sessionLifetime: Duration?
    /// Tells the time by which sessions end.
    var clock: @Sendable () -> ContinuousClock.Instant = { .now }
    /// Whether there is a database of this name; the others are answered with 404.
    public var hasDatabase: @Sendable (_ name: String) async -> Bool = { _ in true }
    /// The subprotocols; the client's first that is among them is taken.
    public var subprotocols = ["BLIP_3+CBMobile_3", "BLIP_3+CBMobile_2"]
    /// The value of the `Server` header.
    public var serverName = "Sealite"
    /// Most peers at a time; further ones are answered with 503.
    public var maximumConnectionCount = 256
    /// Most peers at a time from one IPv4 address, or one IPv6 network of 64 bits; further ones are answered with 429.
    public var connectionsPerAddress = 64
    /// Reverse proxies, whose `X-Forwarded-For` says where a peer is. All peers of a proxy that isn't named here share the
    /// proxy's address.
    public var trustedProxies: [AddressRange] = []
    /// Time for TLS and the upgrade, together.
    public var handshakeTimeout: Duration = .seconds(30)
    /// Time until the peer's first byte, of TLS or of the request.
    public var firstByteTimeout: Duration = .seconds(5)
    /// Most handshakes under way; above it the oldest of the address with most of them is closed.
    var handshakeLimit = 64
    /// How often to ask an idle peer whether it is there; it counts as gone when it doesn't answer for as long.
    public var heartbeat: Duration = .seconds(300)
    /// What a peer may make this side hold.
    public var limits = ConnectionLimits()

    /// The defaults: this machine only, any port, no TLS, no authentication.
    public init() {}
}

/// Which certificates a server asks its clients for. Any but `notAsked` needs TLS, and refuses who has none.
public enum ClientCertificatePolicy: Sendable {
    /// None.
    case notAsked
    /// Certificates whose chain ends at one of these issuers (X.509 DER), that are valid now, and are made for clients.
    case issued(by: [[UInt8]])
    /// Certificates that the closure accepts; it gets the chain as presented (X.509 DER), leaf first. The client has the leaf's
    /// key; nothing else was checked.
    case accepted(by: @Sendable (_ chain: [[UInt8]]) async -> Bool)
}
