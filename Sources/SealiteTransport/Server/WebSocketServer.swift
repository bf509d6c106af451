internal import Glibc
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
package import SealiteBase
package import SealiteCrypto
package import SealiteEndpoints

/// A server of WebSocket connections. Thread-safe.
package final class WebSocketServer: Sendable {
    private let channel: any Channel
    private let registry: ConnectionRegistry
    /// The port that the server listens on.
    package let port: Int
    /// The addresses at which the server can be reached, as text; IPv6 without brackets.
    package let addresses: [String]

    /// The number of open connections whose handshake succeeded.
    package var connectionCount: Int { registry.connectionCount }

    private init(channel: any Channel, registry: ConnectionRegistry, port: Int, addresses: [String]) {
        self.channel = channel
        self.registry = registry
        self.port = port
        self.addresses = addresses
    }

    deinit { channel.close(promise: nil) }

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - configuration: address, TLS, access checks and limits.
    ///   - serve: called with each connection, in a task of its own. A connection is closed when its last reference is
    ///     released.
    /// - Returns: the server, which stops listening when its last reference is released.
    /// - Throws: `addressUnavailable`, `interfaceNotFound`, `badIdentity`.
    package static func start(
        _ configuration: WebSocketServerConfiguration,
        serve: @escaping @Sendable (any MessageConnection) async -> Void
    ) async throws(TransportError) -> WebSocketServer {
        let tls = try context(for: configuration)
        let registry = ConnectionRegistry(
            limits: ConnectionRegistry.Limits(
                peers: configuration.maximumConnectionCount, peersPerNetwork: configuration.connectionsPerAddress,
                handshakes: configuration.handshakeLimit))
        let sessions = configuration.sessionLifetime.map {
            SessionTable(lifetime: $0, isEncrypted: configuration.identity != nil, time: configuration.time)
        }
        let rules = UpgradeRules(
            configuration: configuration, sessions: sessions, gate: PasswordRateLimiter(time: configuration.time))
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try prepare(channel, rules, tls: tls, registry: registry, serve: serve)
                }
            }
        let channel = try await bind(bootstrap, configuration)
        let host = channel.localAddress?.ipAddress ?? ""
        return WebSocketServer(
            channel: channel, registry: registry, port: channel.localAddress?.port ?? 0,
            addresses: ["::", "0.0.0.0"].contains(host) ? NetworkInterface.allAddresses() : [host])
    }

    /// Stops listening and closes all connections with code 4001, on which continuous replicators try again later.
    /// Returns when they are closed, which takes a few seconds at most.
    package func stop() async {
        try? await channel.close()
        await registry.closeAll()
    }

    /// Returns when each thread that serves connections has answered.
    package func loopsAnswer() async {
        for loop in MultiThreadedEventLoopGroup.singleton.makeIterator() { try? await loop.submit {}.get() }
    }

    private static func context(for configuration: WebSocketServerConfiguration) throws(TransportError)
        -> NIOSSLContext?
    {
        let roots = configuration.clientCertificates.announcedRoots
        if case .issued(let roots) = configuration.clientCertificates, roots.isEmpty {
            throw TransportError(
                .badIdentity,
                "no root certificate was given by which to accept client certificates: no client could connect")
        }
        guard let identity = configuration.identity else {
            guard roots == nil else {
                throw TransportError(
                    .badIdentity,
                    "client certificates can be requested only with TLS, and the server is configured without it")
            }
            return nil
        }
        return try NIOSSLContext.server(identity: identity, acceptedRoots: roots)
    }

    private static func bind(
        _ bootstrap: ServerBootstrap, _ configuration: WebSocketServerConfiguration
    ) async throws(TransportError) -> any Channel {
        let port = configuration.port
        do {
            if let name = configuration.networkInterface {
                var address = try NetworkInterface.address(named: name)
                address.port = port
                return try await bootstrap.bind(to: address).get()
            }
            do {
                // Both address families, or IPv4 alone on a machine without IPv6.
                return try await bootstrap.bind(host: "::", port: port).get()
            } catch let error as IOError where error.errnoCode != EADDRINUSE && error.errnoCode != EACCES {
                return try await bootstrap.bind(host: "0.0.0.0", port: port).get()
            }
        } catch {
            throw TransportError(listening: error, place: "port \(port)")
        }
    }

    /// Adds the handlers of a new connection. Runs on the connection's event loop.
    private static func prepare(
        _ channel: any Channel, _ rules: UpgradeRules, tls: NIOSSLContext?,
        registry: ConnectionRegistry, serve: @escaping @Sendable (any MessageConnection) async -> Void
    ) throws {
        let configuration = rules.configuration
        let remote = channel.remoteAddress.flatMap(PeerAddress.init)
        let isProxy = remote.map(TrustedProxies(ranges: configuration.trustedProxies).contains) ?? false
        let isAdmitted = registry.admit(
            channel, network: isProxy ? nil : remote?.network, timeout: TimeAmount(configuration.handshakeTimeout))
        guard isAdmitted else {
            throw TransportError(.closed, "a connection was refused because the server is stopping")
        }
        let record = HandshakeRecord()
        let pipeline = channel.pipeline.syncOperations
        if let observer = configuration.observer {
            observer.opened()
            channel.closeFuture.whenComplete { _ in observer.closed() }
            try pipeline.addHandler(TrafficCounter(observer))
        }
        try pipeline.addHandler(FirstByteHandler(timeout: TimeAmount(configuration.firstByteTimeout)))
        if let tls {
            try pipeline.addHandler(configuration.clientCertificates.makeHandler(tls, record: record))
        }
        let handler = UpgradeHandler(rules, registry: registry, record: record) { connection in
            Task { await serve(connection) }
        }
        try handler.add(to: pipeline)
    }
}

extension WebSocketServer: CustomStringConvertible, CustomReflectable {
    /// The server with its port, for logs.
    package var description: String { "WebSocket server at port \(port)" }
    /// Port and addresses.
    package var customMirror: Mirror { Mirror(self, children: ["port": port, "addresses": addresses]) }
}

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
    /// Told of sockets and bytes; nil for nobody. Called on event loops.
    package var observer: (any ServerObserver)?
    /// The limits on the memory that a peer makes this side use.
    package var limits = ConnectionLimits()

    /// Creates the default configuration: this machine only, any port, no TLS, no authentication.
    package init() {}
}
