internal import SealiteConcurrency
internal import SealiteProtocol
package import SealiteTransport
public import Dispatch
public import SealiteDatabase
internal import Synchronization

/// Replicates collections of a database with a remote one: a Sync Gateway, or a Couchbase Lite or Sealite peer.
///
/// Thread-safe. ``start(reset:)`` and ``stop()`` return immediately; ``status``, ``statuses`` and listeners report the
/// progress. A stopped replicator may be started again. It keeps running without references to it.
public final class Replicator: Sendable {
    /// The replicator's configuration.
    public let configuration: ReplicatorConfiguration

    private let engine: ReplicatorEngine
    private let hub: ReplicatorHub
    private let running = Mutex(Running())

    private struct Running {
        var task: Task<Void, Never>?
        /// The number of starts, so that a stop applies to the right one in whichever order the engine receives them.
        var number = 0
    }

    /// A replicator over connections that `dial` opens.
    ///
    /// - Throws: `ReplicatorError.Code.invalidConfiguration`.
    package init(_ configuration: ReplicatorConfiguration, dialing dial: @escaping Dial) throws(ReplicatorError) {
        try configuration.check()
        self.configuration = configuration
        let hub = ReplicatorHub(configuration.collections.map(\.collection))
        self.hub = hub
        engine = ReplicatorEngine(
            configuration, dialing: dial, database: configuration.collections[0].collection.database
        ) { hub.take($0) }
    }

    // MARK: - Running

    /// Starts the replicator, unless it is running.
    ///
    /// - Parameter reset: whether checkpoints and the knowledge of the remote's revisions are ignored: everything is
    /// compared again, and every document is offered to the remote again, including refused ones. This repairs a remote
    /// that has lost documents.
    public func start(reset: Bool = false) {
        running.withLock { running in
            guard running.task == nil else { return }
            hub.willStart()
            running.number += 1
            running.task = Task { [number = running.number] in
                await self.engine.run(number, isReset: reset)
                self.running.withLock { $0.task = nil }
                self.hub.didStop()
            }
        }
    }

    /// Stops the replicator in an orderly way: progress is saved, and conflicts being resolved are completed.
    /// ``status`` reports when it has stopped.
    public func stop() {
        guard let number = running.withLock({ $0.task == nil ? nil : $0.number }) else { return }
        Task { await self.engine.stop(number) }
    }

    /// Starts the replicator, unless it is running, and waits until it has stopped; cancelling the task stops it.
    ///
    /// - Parameter reset: as for ``start(reset:)``.
    /// - Returns: the last status.
    /// - Throws: ``ReplicatorError`` if an error stopped it.
    @discardableResult
    public func run(reset: Bool = false) async throws -> ReplicatorStatus {
        start(reset: reset)
        await withTaskCancellationHandler {
            await stopped()
        } onCancel: {
            stop()
        }
        let status = status
        if let error = status.error { throw error }
        return status
    }

    /// Waits until the replicator has stopped.
    package func stopped() async { await running.withLock { $0.task }?.value }

    /// Retries immediately instead of waiting, if the replicator is offline. Call it when the network is known to be
    /// available again.
    public func retryNow() { Task { await self.engine.retryNow() } }

    // MARK: - What happens

    /// The current status.
    public var status: ReplicatorStatus { hub.status }

    /// The changes of the status from now on. The newest 100 unread ones are buffered.
    public var statuses: AsyncStream<ReplicatorStatus> { hub.statuses.sequence(limit: 100) }

    /// The documents that are replicated, or fail to be, from now on, several per element. The newest 10,000 unread
    /// elements are buffered.
    public var documentReplications: AsyncStream<DocumentReplication> { hub.documents.sequence(limit: 10_000) }

    /// Registers a listener for each new status, until the token is removed or released.
    ///
    /// - Parameters:
    ///   - queue: the queue on which it is called serially; nil for a separate one.
    ///   - listener: receives every element that ``statuses`` would deliver.
    /// - Returns: the token that keeps the listener registered.
    public func addChangeListener(
        queue: DispatchQueue? = nil, listener: @escaping @Sendable (ReplicatorStatus) -> Void
    ) -> ReplicatorListenerToken { ReplicatorListenerToken(hub.statuses, queue, listener) }

    /// Calls a listener with each new status, on the thread of the one who tells, which the listener must not block.
    ///
    /// - Returns: the closure that removes the listener.
    package func onStatus(_ listener: @escaping @Sendable (ReplicatorStatus) -> Void) -> @Sendable () -> Void {
        hub.statuses.add(listener)
    }

    /// Registers a listener for documents that are replicated, or fail to be, until the token is removed or released.
    ///
    /// - Parameters:
    ///   - queue: the queue on which it is called serially; nil for a separate one.
    ///   - listener: receives every element that ``documentReplications`` would deliver.
    /// - Returns: the token that keeps the listener registered.
    public func addDocumentReplicationListener(
        queue: DispatchQueue? = nil, listener: @escaping @Sendable (DocumentReplication) -> Void
    ) -> ReplicatorListenerToken { ReplicatorListenerToken(hub.documents, queue, listener) }

    /// The certificates of the server in the last handshake, leaf first, as X.509 DER, even if they were not trusted.
    /// Empty without TLS.
    public var serverCertificates: [[UInt8]] { hub.certificates }

    // MARK: - Pending documents

    /// Returns the ids of a collection's documents with changes that wait to be pushed.
    ///
    /// - Throws: `invalidConfiguration` if the collection isn't one of the replicator's, or it doesn't push; errors of
    /// reading
    ///   the database.
    public func pendingDocumentIDs(in collection: SealiteDatabase.Collection) async throws -> Set<String> {
        guard configuration.replicatorType.isPush else {
            throw ReplicatorError(.invalidConfiguration, "a replicator that only pulls has no pending documents")
        }
        guard let index = configuration.collections.firstIndex(where: { $0.collection == collection }) else {
            throw ReplicatorError(
                .invalidConfiguration, "the collection \"\(collection.fullName)\" isn't one of the replicator's")
        }
        return try await engine.pendingDocuments(index)
    }

    /// Returns whether a document has changes that wait to be pushed.
    ///
    /// - Throws: as ``pendingDocumentIDs(in:)``.
    public func isDocumentPending(_ id: String, in collection: SealiteDatabase.Collection) async throws -> Bool {
        try await pendingDocumentIDs(in: collection).contains(id)
    }

    /// Returns the documents of the replicator's collections that the remote has refused and still doesn't have. They
    /// are offered again at each start, and listed until the remote accepts them or they change.
    ///
    /// - Throws: errors of reading the database.
    public func refusedDocuments() async throws -> [RefusedDocument] { try await engine.refusedDocuments() }
}

/// Stores what a replicator's engine reports, and passes it on.
final class ReplicatorHub: Sendable {
    private struct State {
        var status = ReplicatorStatus()
        var certificates: [[UInt8]] = []
        /// The last status, held back until the replicator can be started again.
        var isRunning = false
    }

    let statuses = Broadcast<ReplicatorStatus>()
    let documents = Broadcast<DocumentReplication>()
    private let collections: [(scope: String, name: String)]
    private let state = Mutex(State())

    init(_ collections: [SealiteDatabase.Collection]) {
        self.collections = collections.map { (scope: $0.scopeName, name: $0.name) }
    }

    var status: ReplicatorStatus { state.withLock { $0.status } }
    var certificates: [[UInt8]] { state.withLock { $0.certificates } }

    func willStart() {
        state.withLock { state in
            state.isRunning = true
            state.status = ReplicatorStatus()
            state.status.activity = .connecting
        }
    }

    /// Reports the last status, once the replicator can be started again.
    func didStop() {
        let status = state.withLock { state in
            state.isRunning = false
            state.status.activity = .stopped
            return state.status
        }
        statuses.tell(status)
    }

    func take(_ news: ReplicatorNews) {
        switch news {
        case .status(let activity, let progress, let error):
            let status = state.withLock { state in
                state.status.progress = progress
                state.status.error = error
                if activity != .stopped { state.status.activity = activity }
                return state.status
            }
            if activity != .stopped { statuses.tell(status) }
        case .documents(let events):
            for isPush in [true, false] {
                let told = events.filter { $0.0.isPush == isPush }.map { document($0.0, $0.1) }
                if !told.isEmpty { documents.tell(DocumentReplication(isPush: isPush, documents: told)) }
            }
        case .lostCheckpoints(let indices):
            let status = state.withLock { state in
                state.status.lostCheckpoints = indices.sorted().map {
                    "\(collections[$0].scope).\(collections[$0].name)"
                }
                return state.status
            }
            statuses.tell(status)
        case .remoteCollections(let names):
            let status = state.withLock { state in
                state.status.remoteCollections = names
                return state.status
            }
            statuses.tell(status)
        case .connected(let info): state.withLock { $0.certificates = info.peerCertificates }
        case .certificates(let certificates): state.withLock { $0.certificates = certificates }
        }
    }

    private func document(_ event: DocumentEvent, _ error: ReplicatorError?) -> ReplicatedDocument {
        var flags: DocumentFlags = event.isDeleted ? .deleted : []
        if event.isAccessRemoved { flags.insert(.accessRemoved) }
        return ReplicatedDocument(
            id: event.documentID, scope: collections[event.collection].scope,
            collection: collections[event.collection].name, flags: flags, error: error,
            resolvedConflict: event.resolution.map { ResolvedConflict($0) })
    }
}
