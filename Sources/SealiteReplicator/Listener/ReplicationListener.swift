internal import SealiteTransport
public import SealiteCredentials
internal import SealiteCrypto
internal import SealiteJSON
internal import SealiteDatabase
internal import Synchronization

/// Lets peers connect over the network and replicate with collections of a database. Each peer is served independently; conflicts are
/// refused, since the active side resolves them.
///
/// Safe to use from any task. It stops when its last reference goes.
public final class ReplicationListener: Sendable {
    /// The configuration that the listener was made with.
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

    /// A listener, not started.
    public init(_ configuration: ListenerConfiguration) { self.configuration = configuration }

    /// Begins to listen; does nothing if it does, or is about to.
    ///
    /// - Throws: `connection` with `addressUnavailable`, `interfaceNotFound` or `badIdentity`; `invalidConfiguration` for a
    ///   configuration that doesn't say who may connect (``ListenerAccess``), that would have passwords cross a network without
    ///   TLS (``ListenerConfiguration/allowsUnencryptedCredentials``), or that names no collection.
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
        server.sessionLifetime = configuration.sessionLifetime
        server.time = configuration.time
        server.maximumConnectionCount = configuration.maximumConnectionCount
        server.connectionsPerAddress = configuration.connectionsPerAddress
        server.trustedProxies = configuration.trustedProxies
        let (name, database) = (configuration.servedName, configuration.collections[0].database)
        server.hasDatabase = { $0 == name && database.path != nil }
        return server
    }

    /// Stops listening and ends all connections in order. Returns when they are closed.
    ///
    /// Peers see the WebSocket code 4001, by which Couchbase Lite's continuous replicators and this library's try again later.
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

    /// The number of peers that are served now.
    public var status: ServiceStatus { running?.service.status ?? ServiceStatus() }

    /// The port that it listens at; nil unless it does.
    public var port: Int? { running?.server.port }

    /// The certificates it presents, leaf first, as X.509 DER; empty without TLS, or unless it listens.
    public var certificates: [[UInt8]] { running?.identity?.certificates ?? [] }

    /// The pins by which clients trust this listener: `.pinned(listener.pins)`. Empty without TLS, or unless it listens.
    public var pins: [ServerTrust.Pin] { publicKeyDigest.map { [.publicKeyDigest($0)] } ?? [] }

    /// The SHA-256 of its certificate's public key, 32 bytes, for peers to pin; nil without TLS, or unless it listens.
    public var publicKeyDigest: [UInt8]? {
        certificates.first.flatMap { try? CertificateVerification.publicKeyDigest(of: $0) }
    }

    /// The URLs that peers on this or other machines may use; none unless it listens.
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
    /// A replicator over the network, or with another database of this program.
    ///
    /// - Throws: `invalidConfiguration`.
    public convenience init(_ configuration: ReplicatorConfiguration) throws(ReplicatorError) {
        guard let local = configuration.localTarget else {
            try self.init(configuration, dialer: WebSocketDialer())
            return
        }
        try self.init(configuration, dialer: LocalDialer(endpoint: local))
    }
}
