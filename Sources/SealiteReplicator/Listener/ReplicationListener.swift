internal import SealiteTransport
public import SealiteCredentials
internal import SealiteCrypto
internal import SealiteJSON
internal import SealiteDatabase
internal import Synchronization

/// Accepts connections of peers over the network, which replicate with collections of a database. Each peer is served
/// independently; conflicts are refused, since the active side resolves them.
///
/// Thread-safe. The listener stops accepting connections when its last reference is released; to end the open ones too,
/// call ``stop()``.
public final class ReplicationListener: Sendable {
    /// The listener's configuration.
    public let configuration: ListenerConfiguration

    private struct Running: Sendable {
        let server: WebSocketServer
        let service: ReplicationService
        let identity: TransportIdentity?
    }

    private enum State {
        case stopped
        case starting
        case running(Running)
    }

    private let state = Mutex(State.stopped)

    /// Creates a listener without starting it.
    public init(_ configuration: ListenerConfiguration) { self.configuration = configuration }

    /// Starts listening. Does nothing if the listener has been started.
    ///
    /// - Throws: `connection` with `addressUnavailable`, `interfaceNotFound` or `badIdentity`; `invalidConfiguration`
    ///   for a configuration that doesn't specify who may connect (``ListenerAccess``), that would send passwords over
    ///   a network without TLS (``ListenerConfiguration/allowsUnencryptedCredentials``), or that names no collection.
    public func start() async throws(ReplicatorError) {
        let mayStart = state.withLock { state in
            guard case .stopped = state else { return false }
            state = .starting
            return true
        }
        guard mayStart else { return }
        let log = ListenerLog(configuration.logger)
        do throws(ReplicatorError) {
            let running = try await started(log)
            state.withLock { $0 = .running(running) }
            log.began(configuration, port: running.server.port)
        } catch {
            state.withLock { $0 = .stopped }
            log.failed(error)
            throw error
        }
    }

    private func started(_ log: ListenerLog) async throws(ReplicatorError) -> Running {
        try configuration.checkAccess()
        try configuration.checkPasswords()
        var service = ServiceConfiguration(collections: configuration.collections)
        service.heldByteLimit = configuration.heldByteLimit
        service.readOnly = configuration.readOnly
        service.servesAllCollections = configuration.servesAllCollections
        service.log = log
        let peers = try ReplicationService(service)
        do throws(TransportError) {
            var configuration = try serverConfiguration()
            configuration.onRefusal = { log.refused($0) }
            let server = try await WebSocketServer.start(configuration) { try? await peers.serve($0) }
            return Running(server: server, service: peers, identity: configuration.identity)
        } catch {
            throw ReplicatorError(error, isContinuous: false)
        }
    }

    private func serverConfiguration() throws(TransportError) -> WebSocketServerConfiguration {
        var server = WebSocketServerConfiguration()
        server.port = configuration.port
        server.networkInterface = configuration.networkInterface
        if configuration.isEncrypted {
            server.identity = configuration.identity
            if server.identity == nil {
                server.identity = try .selfSigned(commonName: "Sealite", hosts: ["localhost", "127.0.0.1", "::1"])
            }
        }
        server.clientCertificates = configuration.clientCertificates
        server.passwordCheck = configuration.passwordCheck
        server.passwordRecheckInterval = configuration.passwordRecheckInterval
        server.sessionLifetime = configuration.sessionLifetime
        server.time = configuration.time
        server.maximumConnectionCount = configuration.maximumConnectionCount
        server.connectionsPerAddress = configuration.connectionsPerAddress
        server.trustedProxies = configuration.trustedProxies
        let (name, database) = (configuration.servedName, configuration.collections[0].database)
        server.subprotocols = database.versioning.served
        server.hasDatabase = { $0 == name && database.path != nil }
        return server
    }

    /// Stops listening and ends all connections in an orderly way. Returns when they are closed.
    ///
    /// Peers receive the WebSocket code 4001, after which continuous replicators of Couchbase Lite and of this library
    /// retry later.
    public func stop() async {
        let stopped = state.withLock { state -> Running? in
            guard case .running(let running) = state else { return nil }
            state = .stopped
            return running
        }
        await stopped?.service.stop()
        await stopped?.server.stop()
        if stopped != nil { ListenerLog(configuration.logger).ended() }
    }

    private var running: Running? {
        state.withLock { state in
            if case .running(let running) = state { running } else { nil }
        }
    }

    /// The number of connected peers, and of those with a replication in progress. Both are 0 if the listener isn't
    /// running.
    public var status: ServiceStatus { running?.service.status ?? ServiceStatus() }

    /// The port that the listener uses; nil if it isn't running.
    public var port: Int? { running?.server.port }

    /// The certificates that the listener presents, leaf first, as X.509 DER; empty without TLS, or if it isn't
    /// running.
    public var certificates: [[UInt8]] { running?.identity?.certificates ?? [] }

    /// The pins by which clients trust this listener, with `.pinned(listener.pins)`. Empty without TLS, or if the
    /// listener isn't running.
    public var pins: [ServerTrust.Pin] { publicKeyDigest.map { [.publicKeyDigest($0)] } ?? [] }

    /// The SHA-256 of the certificate's public key, 32 bytes, for peers to pin; nil without TLS, or if the listener
    /// isn't running.
    public var publicKeyDigest: [UInt8]? {
        certificates.first.flatMap { try? CertificateVerification.publicKeyDigest(of: $0) }
    }

    /// The URLs for peers on this or other machines; empty if the listener isn't running.
    public var urls: [String] {
        guard let server = running?.server else { return [] }
        let scheme = configuration.isEncrypted ? "wss" : "ws"
        return server.addresses.map { address in
            let host = address.contains(":") ? "[\(address)]" : address
            return
                "\(scheme)://\(host):\(server.port)/\(PercentCoding.encodePathPart(configuration.servedName))"
        }
    }
}

extension Replicator {
    /// Creates a replicator that connects to the configuration's target: over the network, or with another database of
    /// this program.
    ///
    /// - Throws: `invalidConfiguration`.
    public convenience init(_ configuration: ReplicatorConfiguration) throws(ReplicatorError) {
        guard let local = configuration.localTarget else {
            try self.init(configuration, dialing: { request throws(TransportError) in try await request.connection() })
            return
        }
        try self.init(configuration, dialing: LocalDialer(endpoint: local).dial)
    }
}
