public import Dispatch
internal import SealiteBase
public import SealiteDatabase
internal import SealiteProtocol
package import SealiteTransport
internal import Synchronization

/// Replicates collections of a database with a remote database: a Sync Gateway, or a Couchbase Lite or Sealite peer.
///
/// Thread-safe. ``start(reset:)`` and ``stop()`` return immediately; ``status``, ``statuses`` and listeners report the
/// progress. A stopped replicator may be started again. It keeps running without references to it.
public final class Replicator: Sendable {
    /// The replicator's configuration.
    public let configuration: ReplicatorConfiguration

    private let engine: ReplicatorEngine
    private let hub: ReplicatorStatusRelay
    private let running = Mutex(Running())

    private struct Running {
        var task: Task<Void, Never>?
        /// The number of starts so far. A stop names the start to which it applies, because the engine may receive the
        /// two in either order.
        var number = 0
    }

    /// Creates a replicator whose connections `dial` opens.
    ///
    /// - Throws: `ReplicatorError.Code.invalidConfiguration`.
    package init(_ configuration: ReplicatorConfiguration, dialing dial: @escaping Dial) throws(ReplicatorError) {
        try configuration.check()
        self.configuration = configuration
        let hub = ReplicatorStatusRelay(configuration.collections.map(\.collection))
        self.hub = hub
        let database = configuration.collections[0].collection.database
        let metrics = ReplicatorMetrics.make(database.configuration.time)
        engine = ReplicatorEngine(configuration, dialing: dial, database: database) { event in
            metrics?.take(event)
            hub.take(event)
        }
    }

    // MARK: - Running

    /// Starts the replicator, unless it is running.
    ///
    /// - Parameter reset: whether checkpoints and the knowledge of the remote's revisions are ignored: all documents
    ///   are compared again, and every document is offered to the remote again, including refused ones. This repairs a
    ///   remote that has lost documents.
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

    /// If the replicator is offline, retries immediately instead of waiting. Call it when the network is known to be
    /// available again.
    public func retryNow() { Task { await self.engine.retryNow() } }

    // MARK: - What happens

    /// The current status: the activity, the progress and the last error.
    public var status: ReplicatorStatus { hub.status }

    /// A stream of the status changes from now on, which buffers the newest 100 unread statuses.
    public var statuses: AsyncStream<ReplicatorStatus> { hub.statuses.sequence(limit: 100) }

    /// The documents that are replicated, or fail to be, from now on, several per element. The newest 10,000 unread
    /// elements are buffered.
    public var documentReplications: AsyncStream<DocumentReplication> { hub.documents.sequence(limit: 10_000) }

    /// Registers a listener for each new status, until the token is removed or released.
    ///
    /// - Parameters:
    ///   - queue: the queue on which it is called serially; nil for a separate queue.
    ///   - listener: receives every element that ``statuses`` would deliver.
    /// - Returns: the token that keeps the listener registered.
    public func addChangeListener(
        queue: DispatchQueue? = nil, listener: @escaping @Sendable (ReplicatorStatus) -> Void
    ) -> ReplicatorListenerToken { ReplicatorListenerToken(hub.statuses, queue, listener) }

    /// Calls a listener with each new status, on the thread that changes the status, which the listener must not block.
    ///
    /// - Returns: the closure that removes the listener.
    package func onStatus(_ listener: @escaping @Sendable (ReplicatorStatus) -> Void) -> @Sendable () -> Void {
        hub.statuses.add(listener)
    }

    /// Registers a listener for documents that are replicated, or fail to be, until the token is removed or released.
    ///
    /// - Parameters:
    ///   - queue: the queue on which it is called serially; nil for a separate queue.
    ///   - listener: receives every element that ``documentReplications`` would deliver.
    /// - Returns: the token that keeps the listener registered.
    public func addDocumentReplicationListener(
        queue: DispatchQueue? = nil, listener: @escaping @Sendable (DocumentReplication) -> Void
    ) -> ReplicatorListenerToken { ReplicatorListenerToken(hub.documents, queue, listener) }

    /// The certificates of the server in the last handshake, leaf first, as X.509 DER, even if they were not trusted.
    /// Empty without TLS, and before the first handshake.
    public var serverCertificates: [[UInt8]] { hub.certificates }

    // MARK: - Pending documents

    /// Returns the ids of a collection's documents with changes that wait to be pushed.
    ///
    /// - Throws: `invalidConfiguration` if the collection isn't one of the replicator's, or it doesn't push; errors of
    ///   reading the database.
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

    /// Returns the documents of the replicator's collections that the remote has refused and still doesn't have, and
    /// those of the remote that couldn't be stored here. They are offered, or asked for, again at each start and after
    /// each reconnection of a continuous replicator. They are listed until they go through; the former also until they
    /// are changed, the latter until the remote no longer has them.
    ///
    /// - Throws: errors of reading the database.
    public func refusedDocuments() async throws -> [RefusedDocument] { try await engine.refusedDocuments() }
}

/// The registration of a listener with a replicator. The listener isn't called for events after ``remove()``, or after
/// the token is released.
public final class ReplicatorListenerToken: Sendable {
    private let removal: @Sendable () -> Void

    /// Registers a listener that is called on `queue`; nil for a separate, serial queue.
    init<Element: Sendable>(
        _ broadcast: Broadcast<Element>, _ queue: DispatchQueue?, _ listener: @escaping @Sendable (Element) -> Void
    ) {
        let queue = queue ?? DispatchQueue(label: "sealite.replicator.listener")
        removal = broadcast.add { element in queue.async { listener(element) } }
    }

    deinit { removal() }

    /// Removes the listener. It isn't called for later events.
    public func remove() { removal() }
}

/// Documents that were replicated in one direction, or couldn't be, as reported to a replicator's document listener.
public struct DocumentReplication: Sendable {
    /// A Boolean value that says whether the documents were pushed rather than pulled.
    public let isPush: Bool
    /// The documents that were pushed or pulled since the previous event, each with its error if it wasn't replicated.
    public let documents: [ReplicatedDocument]
}

/// A document that was pushed or pulled, or couldn't be.
public struct ReplicatedDocument: Sendable {
    /// The document's id.
    public let id: String
    /// The scope of the document's collection.
    public let scope: String
    /// The name of the document's collection.
    public let collection: String
    /// The flags that say whether the document is deleted, and whether access to it was lost.
    public let flags: DocumentFlags
    /// The error because of which the document couldn't be replicated; nil if it was replicated.
    public let error: ReplicatorError?
    /// The outcome of the document's conflict; nil if it had none, or the conflict isn't resolved.
    public let resolvedConflict: ResolvedConflict?
}
