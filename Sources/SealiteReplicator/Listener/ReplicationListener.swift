internal import SealiteTransport
public import SealiteCredentials
internal import SealiteCrypto
internal import SealiteJSON
internal import SealiteDatabase
internal import Synchronization

/// Accepts connections of peers over the network, which replicate with collections of a database. Each peer is served
/// independently; conflicts are refused, since the active side resolves them.
///
/// Thread-safe. When its last reference is released, the listener stops as with ``stop()``, in the background.
public final class ReplicationListener: Sendable {
    /// The listener's configuration.
    public let configuration: ListenerConfiguration

    private struct Running: Sendable {
        let server: WebSocketServer
        let service: ReplicationService
        let identity: TransportIdentity?
        let log: ListenerLog

        /// Ends all connections in an orderly way, and stops listening. Returns when they are closed.
        func stop() async {
            await service.stop()
            await server.stop()
            log.ended()
        }
    }

    private enum State {
        case stopped
        /// The task ends when the listener runs, or has failed to start.
        case starting(Task<Result<Void, ReplicatorError>, Never>)
        case running(Running)
    }

    private let state = Mutex(State.stopped)

    /// Creates a listener without starting it.
    public init(_ configuration: ListenerConfiguration) { self.configuration = configuration }

    deinit {
        guard let running else { return }
        Task { await running.stop() }
    }

    /// Starts listening, and returns once the listener runs. Does nothing if it runs; if another call is starting it,
    /// waits for that call and shares its outcome.
    ///
    /// - Throws: `connection` with `addressUnavailable`, `interfaceNotFound` or `badIdentity`; `invalidConfiguration`
    ///   for a configuration that doesn't specify without contradiction who may connect (``ListenerAccess``), that
    ///   would send passwords over a network without TLS (``ListenerConfiguration/allowsUnencryptedCredentials``), or
    ///   that names no collection or collections of several databases.
    public func start() async throws(ReplicatorError) {
        let beginning = state.withLock { state -> Task<Result<Void, ReplicatorError>, Never>? in
            switch state {
            case .running: return nil
            case .starting(let task): return task
            case .stopped:
                let task = Task { await self.begin() }
                state = .starting(task)
                return task
            }
        }
        if let beginning { try await beginning.value.get() }
    }

    /// Starts to listen, and sets the state to the outcome.
    private func begin() async -> Result<Void, ReplicatorError> {
        let log = ListenerLog(configuration.logger)
        do throws(ReplicatorError) {
            let running = try await started(log)
            state.withLock { state in
                if case .starting = state {} else { assertionFailure("a listener runs once it was starting") }
                state = .running(running)
            }
            log.began(configuration, port: running.server.port)
            return .success(())
        } catch {
            state.withLock { state in
                if case .starting = state {} else { assertionFailure("only a listener that was starting fails to") }
                state = .stopped
            }
            log.failed(error)
            return .failure(error)
        }
    }

    private func started(_ log: ListenerLog) async throws(ReplicatorError) -> Running {
        try configuration.checkAccess()
        try configuration.checkPasswords()
        var service = ServiceConfiguration(collections: configuration.collections)
        service.heldByteLimit = configuration.heldByteLimit
        service.readOnly = configuration.readOnly
        service.enableDeltaSync = configuration.enableDeltaSync
        service.servesAllCollections = configuration.servesAllCollections
        service.log = log
        let metrics = ListenerMetrics.make()
        service.metrics = metrics
        let peers = try ReplicationService(service)
        do throws(TransportError) {
            var configuration = try serverConfiguration()
            configuration.onRefusal = { refusal in
                log.refused(refusal)
                metrics?.refused(refusal)
            }
            configuration.observer = metrics
            let server = try await WebSocketServer.start(configuration) { try? await peers.serve($0) }
            return Running(server: server, service: peers, identity: configuration.identity, log: log)
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

    /// Stops listening and ends all connections in an orderly way. Returns when they are closed. A listener that is
    /// starting is stopped as soon as it runs.
    ///
    /// Peers receive the WebSocket code 4001, after which continuous replicators of Couchbase Lite and of this library
    /// retry later.
    public func stop() async {
        if case .starting(let beginning) = state.withLock({ $0 }) { _ = await beginning.value }
        let stopped = state.withLock { state -> Running? in
            guard case .running(let running) = state else { return nil }
            state = .stopped
            return running
        }
        await stopped?.stop()
    }

    /// A Boolean value that says whether the listener is starting or runs.
    var isStarted: Bool {
        state.withLock { state in
            if case .stopped = state { false } else { true }
        }
    }

    private var running: Running? {
        state.withLock { state in
            if case .running(let running) = state { running } else { nil }
        }
    }

    /// Returns whether the listener works: its threads answer, and its database can be read. A database that others keep
    /// locked counts as readable. Returns late, or never, if they don't answer.
    package func answers() async -> Bool {
        guard let running else { return false }
        await running.server.loopsAnswer()
        do {
            // Not one of the collections: it may be deleted while the others are served.
            _ = try await configuration.collections[0].database.collections()
            return true
        } catch {
            return (error as? DatabaseError)?.code == .busy
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
