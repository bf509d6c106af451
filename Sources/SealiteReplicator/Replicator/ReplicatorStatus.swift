internal import Dispatch
internal import SealiteBase
internal import SealiteCredentials
internal import SealiteDatabase
internal import SealiteFile
internal import SealiteProtocol
internal import SealiteTransport
internal import Synchronization

/// The status of a replicator.
public struct ReplicatorStatus: Sendable, Equatable {
    /// The activities of a replicator.
    public enum Activity: String, Sendable {
        /// Not started, completed, stopped by the application, or ended by an error.
        case stopped
        /// Waiting to retry.
        case offline
        /// Opening the connection, or agreeing on collections and checkpoints.
        case connecting
        /// Caught up, with no work in progress.
        case idle
        /// Replicating.
        case busy
    }

    /// The progress of a replicator.
    public struct Progress: Sendable, Equatable {
        /// The number of bytes of documents processed since the start.
        public internal(set) var completed: UInt64 = 0
        /// The number of bytes of documents known to need processing, which may grow.
        public internal(set) var total: UInt64 = 0
        /// The number of documents processed since the start, whatever their outcome.
        public internal(set) var documentCount: UInt64 = 0
        /// The number of documents that the remote accepted since the start.
        public internal(set) var pushedCount: UInt64 = 0
        /// The number of documents that were offered since the start and that the remote had already.
        public internal(set) var alreadyThereCount: UInt64 = 0
        /// The number of documents, including deletions, that were pulled since the start, without those in conflict.
        public internal(set) var pulledCount: UInt64 = 0
        /// The number of documents that were purged since the start because access to them was lost.
        public internal(set) var removedCount: UInt64 = 0
        /// The number of revisions that the remote sent since the start although they weren't requested. They were
        /// refused: a remote can store only what was asked of it.
        public internal(set) var unrequestedCount: UInt64 = 0
        /// The number of conflicts that were resolved since the start.
        public internal(set) var resolvedConflictCount: UInt64 = 0
        /// The number of documents that were sent or received as differences since the start.
        public internal(set) var deltaCount: UInt64 = 0
        /// The number of bytes by which those differences were smaller than the documents, before compression.
        public internal(set) var deltaSavedByteCount: UInt64 = 0
        /// The number of differences since the start that one side couldn't apply, so that the whole documents followed.
        public internal(set) var deltaFallbackCount: UInt64 = 0
    }

    /// The current activity.
    public internal(set) var activity = Activity.stopped
    /// The progress of the transfer since the start.
    public internal(set) var progress = Progress()
    /// The error because of which the replicator stopped or is offline; nil if there is none.
    public internal(set) var error: ReplicatorError?
    /// The collections, as `scope.name`, whose replication checkpoint at the remote was found to be lost since the
    /// start, for example because the server was installed anew. All their documents are compared and offered again.
    public internal(set) var lostCheckpoints: [String] = []
    /// A Boolean value that says whether the database's file was found, since the start, to have been replaced by an older
    /// copy of itself. What it has lost is pulled again, and documents that were edited after the replacement may conflict
    /// with it.
    public internal(set) var hasReplacedFile = false
    /// The names of the remote's collections, without the scope for collections of the default scope; nil if the remote
    /// wasn't asked (``ReplicatorConfiguration/asksForCollections``) or doesn't return them, as a Sync Gateway doesn't.
    public internal(set) var remoteCollections: [String]?
}

extension ReplicatorStatus.Progress {
    /// Returns the progress of earlier sessions and that of the current one together.
    static func + (earlier: Self, session: SessionStatus) -> Self {
        var sum = earlier
        sum.completed += session.completedByteCount
        sum.total += session.totalByteCount
        sum.documentCount += session.documentCount
        sum.pushedCount += session.outcomes.pushed
        sum.alreadyThereCount += session.outcomes.known
        sum.pulledCount += session.outcomes.pulled
        sum.removedCount += session.outcomes.removed
        sum.unrequestedCount += session.outcomes.unrequested
        sum.deltaCount += session.outcomes.deltas.sent + session.outcomes.deltas.received
        sum.deltaSavedByteCount += session.outcomes.deltas.savedByteCount
        sum.deltaFallbackCount += session.outcomes.deltas.fallbacks
        return sum
    }
}

/// An event that a replicator's engine reports while it runs.
enum ReplicatorEvent: Sendable {
    case status(ReplicatorStatus.Activity, ReplicatorStatus.Progress, ReplicatorError?)
    case documents([(DocumentEvent, ReplicatorError?)])
    /// A conflict was resolved, or its resolution failed.
    case conflict(DocumentEvent, ReplicatorError?, ResolvedConflict?)
    case connected(ConnectionInfo)
    case certificates([[UInt8]])
    /// The remote has lost the replication checkpoints of these collections, given by their positions in the
    /// configuration, since the start.
    case lostCheckpoints(Set<Int>)
    /// The database's file was replaced by an older copy of itself.
    case replacedFile
    /// The names of the remote's collections.
    case remoteCollections([String])
}

/// Stores the statuses and document events that a replicator's engine reports, and passes them on to listeners.
final class ReplicatorStatusRelay: Sendable {
    private struct State {
        var status = ReplicatorStatus()
        var certificates: [[UInt8]] = []
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
        state.withLock { $0.status = ReplicatorStatus(activity: .connecting) }
    }

    /// Reports the last status, once the replicator can be started again.
    func didStop() { statuses.tell(changed { $0.activity = .stopped }) }

    private func changed(_ change: (inout ReplicatorStatus) -> Void) -> ReplicatorStatus {
        state.withLock { state in
            change(&state.status)
            return state.status
        }
    }

    func take(_ news: ReplicatorEvent) {
        switch news {
        case .status(let activity, let progress, let error):
            let status = changed { status in
                (status.progress, status.error) = (progress, error)
                if activity != .stopped { status.activity = activity }
            }
            if activity != .stopped { statuses.tell(status) }
        case .documents(let events):
            for isPush in [true, false] {
                let told = events.filter { $0.0.isPush == isPush }.map { document($0.0, $0.1, nil) }
                if !told.isEmpty { documents.tell(DocumentReplication(isPush: isPush, documents: told)) }
            }
        case .conflict(let event, let error, let resolved):
            documents.tell(DocumentReplication(isPush: event.isPush, documents: [document(event, error, resolved)]))
        case .lostCheckpoints(let indices):
            let names = indices.sorted().map { "\(collections[$0].scope).\(collections[$0].name)" }
            statuses.tell(changed { $0.lostCheckpoints = names })
        case .replacedFile: statuses.tell(changed { $0.hasReplacedFile = true })
        case .remoteCollections(let names): statuses.tell(changed { $0.remoteCollections = names })
        case .connected(let info): state.withLock { $0.certificates = info.peerCertificates }
        case .certificates(let certificates): state.withLock { $0.certificates = certificates }
        }
    }

    private func document(
        _ event: DocumentEvent, _ error: ReplicatorError?, _ resolved: ResolvedConflict?
    ) -> ReplicatedDocument {
        assert(collections.indices.contains(event.collection))
        var flags: DocumentFlags = event.isDeleted ? .deleted : []
        if event.isAccessRemoved { flags.insert(.accessRemoved) }
        return ReplicatedDocument(
            id: event.documentID, scope: collections[event.collection].scope,
            collection: collections[event.collection].name, flags: flags, error: error,
            resolvedConflict: resolved)
    }
}
