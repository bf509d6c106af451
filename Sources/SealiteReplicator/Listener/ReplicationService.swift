internal import Glibc
internal import SealiteBase
package import SealiteDatabase
internal import SealiteProtocol
package import SealiteTransport
internal import Synchronization

/// Serves collections of a database to peers: the passive side of a replication, independent of how connections are
/// accepted. Each peer is served independently; conflicts are refused, since the active side resolves them.
///
/// Thread-safe.
package final class ReplicationService: Sendable {
    /// The service's configuration.
    package let configuration: ServiceConfiguration

    private struct State {
        var runners: [UInt64: SessionRunner<PassiveSession>] = [:]
        var active: Set<UInt64> = []
        var lastID: UInt64 = 0
        var isStopped = false
    }

    private let state = Mutex(State())
    let memory: PeerMemory
    private let checkpoints: PeerCheckpoints
    private let queues: SharedQueues

    /// Creates a service without peers.
    ///
    /// - Throws: `invalidConfiguration`.
    package init(_ configuration: ServiceConfiguration) throws(ReplicatorError) {
        guard let first = configuration.collections.first,
            configuration.collections.allSatisfy({ $0.database === first.database })
        else {
            throw ReplicatorError(
                .invalidConfiguration, "a listener needs at least one collection, and all must belong to one database")
        }
        self.configuration = configuration
        memory = PeerMemory(limit: configuration.heldByteLimit)
        checkpoints = PeerCheckpoints(first.database)
        queues = SharedQueues(
            readerCount: first.database.configuration.readerCount,
            processorCount: sysconf(CInt(_SC_NPROCESSORS_ONLN)))
    }

    /// The number of connected peers, and of those with a replication in progress.
    package var status: ServiceStatus {
        state.withLock {
            ServiceStatus(connectionCount: $0.runners.count, activeConnectionCount: $0.active.count)
        }
    }

    /// Serves one peer until it disconnects or the service is stopped.
    ///
    /// - Throws: `storage` if memory for the connection can't be allocated.
    package func serve(_ connection: any MessageConnection) async throws(ReplicatorError) {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let database = configuration.collections[0].database
        let collections = servedCollections
        let session = PassiveSession(
            PassiveSession.Configuration(
                collections: collections.map(\.wirePath), isReadOnly: configuration.readOnly,
                usesDeltas: configuration.enableDeltaSync, hasVectors: database.versioning == .vectors))
        assert(
            !collections.isEmpty && collections.allSatisfy { $0.database === database }, "a service has one database")
        let stores = collections.map {
            CollectionStore(collection: $0, role: .passive, readable: collections, peerCheckpoints: checkpoints)
        }
        let peer = connection.info.peerAddress
        let runner: SessionRunner<PassiveSession>
        do {
            runner = try SessionRunner(
                session, connection, stores: stores, memory: memory, metrics: configuration.metrics,
                queues: queues.next(), stallLimit: configuration.stallLimit
            ) { [weak self, log = configuration.log] report in
                switch report {
                case .status(let status): self?.took(status, of: id)
                case .failed(let failure): log?.databaseFailed(failure, peer)
                case .documents(let events):
                    for event in events {
                        guard let reason = event.deltaRefusal else { continue }
                        log?.deltaRefused(reason, isSent: event.isPush, peer)
                    }
                }
            }
        } catch {
            await connection.close(code: 1_011, reason: "")
            let end = SessionEnd.closed(SessionError(.storage, error.reason))
            configuration.log?.disconnected(peer, end, requestCount: 0, after: .zero)
            throw ReplicatorError(.storage, error.reason)
        }
        let isStopped = state.withLock { state in
            assert(state.runners[id] == nil, "a peer has a number of its own")
            if !state.isStopped { state.runners[id] = runner }
            return state.isStopped
        }
        guard !isStopped else { return await connection.close(code: 4_001, reason: "") }
        let start = Moment.now
        configuration.log?.connected(peer)
        configuration.metrics?.connected()
        let end = await runner.run()
        let outcomes = await runner.session.status.outcomes
        if outcomes.refusedByPuller > 0 { configuration.log?.peerRefused(outcomes.refusedByPuller, peer) }
        await configuration.log?.disconnected(
            peer, end, requestCount: runner.requestCount, deltas: outcomes.deltas, after: .now - start)
        let wasActive = state.withLock { state in
            assert(state.runners[id] === runner, "a peer is served to its end")
            state.runners[id] = nil
            return state.active.remove(id) != nil
        }
        if wasActive { configuration.metrics?.becameIdle() }
        configuration.metrics?.disconnected()
    }

    /// The collections for a peer that connects now. If the database can't be read, these are the collections of the
    /// configuration, and the peer gets the error in reply to its requests.
    private var servedCollections: [Collection] {
        guard configuration.servesAllCollections else { return configuration.collections }
        let all = try? configuration.collections[0].database.collectionsOfAllScopes()
        return all.flatMap { $0.isEmpty ? nil : $0 } ?? configuration.collections
    }

    private func took(_ status: SessionStatus, of id: UInt64) {
        let isActive = status.activity == .busy
        let hasChanged = state.withLock { state in
            guard state.runners[id] != nil else { return false }
            return isActive ? state.active.insert(id).inserted : state.active.remove(id) != nil
        }
        guard hasChanged, let metrics = configuration.metrics else { return }
        if isActive { metrics.becameActive() } else { metrics.becameIdle() }
    }

    /// Ends all connections in an orderly way, and accepts no further ones. Returns before they are closed.
    package func stop() async {
        let runners = state.withLock { state in
            state.isStopped = true
            return Array(state.runners.values)
        }
        for runner in runners { await runner.stop() }
    }
}

/// The configuration of a replication service, which serves peers: its collections and limits.
package struct ServiceConfiguration: Sendable {
    /// The collections of one database to serve, at least one. Peers see other collections only if
    /// `servesAllCollections` is true.
    package var collections: [SealiteDatabase.Collection]
    /// A Boolean value that says whether each new peer gets all collections that the database has at that time. Default
    /// false.
    package var servesAllCollections = false
    /// A Boolean value that says whether peers may only read. Default false.
    package var readOnly = false
    /// A Boolean value that says whether documents travel as deltas, if the peer takes or sends them. Default true.
    package var enableDeltaSync = true
    /// The maximum memory in bytes that all connections together may make the service use for unanswered requests and
    /// unread replies. Default 128 MiB. Above the limit each connection may still use 128 KiB. The revisions of a
    /// connection that wait for attachments may use an eighth of the limit. While all other connections use at most
    /// half of the limit, a connection may receive a message of any permitted size, however small the limit is.
    package var heldByteLimit = 128 << 20
    /// The maximum time for which this side waits for a peer that makes no progress; then the session ends.
    var stallLimit = Duration.seconds(60)
    /// The log in which the peers of the service are recorded; nil for none.
    var log: ListenerLog?
    /// The service's counters of swift-metrics; nil to count nothing.
    var metrics: ListenerMetrics?

    /// Creates a configuration that serves whole collections for reading and writing.
    package init(collections: [SealiteDatabase.Collection]) { self.collections = collections }
}

/// The numbers of peers that are connected to a listener.
public struct ServiceStatus: Sendable, Equatable {
    /// The number of connections of peers.
    public var connectionCount = 0
    /// The number of connections with a replication in progress.
    public var activeConnectionCount = 0
}

/// Connects a replicator with another database of the same process, without a network.
struct LocalDialer {
    let endpoint: DatabaseEndpoint

    func dial(_ request: UpgradeRequest) async throws(TransportError) -> any MessageConnection {
        let service: ReplicationService
        do {
            service = try makeService()
        } catch {
            throw TransportError(
                .closed, "the database of this program that is the target can't be used as a remote: \(error)")
        }
        let served = endpoint.database.versioning.served
        guard let chosen = request.subprotocols.first(where: served.contains) else {
            let names = served.joined(separator: ", ")
            throw TransportError(
                .http(403), "The request offers none of the supported WebSocket subprotocols: \(names)")
        }
        let (ours, theirs) = MessagePipe.pair(info: ConnectionInfo(subprotocol: chosen))
        Task { try? await service.serve(theirs) }
        return ours
    }

    private func makeService() throws -> ReplicationService {
        let collections = try endpoint.database.collectionsOfAllScopes()
        return try ReplicationService(ServiceConfiguration(collections: collections))
    }
}
