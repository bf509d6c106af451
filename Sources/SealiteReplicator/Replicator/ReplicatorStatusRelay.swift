internal import SealiteBase
internal import SealiteProtocol
internal import SealiteTransport
internal import Dispatch
internal import SealiteDatabase
internal import Synchronization

/// Stores the statuses and document events that a replicator's engine reports, and passes them on to listeners.
final class ReplicatorStatusRelay: Sendable {
    private struct State {
        var status = ReplicatorStatus()
        var certificates: [[UInt8]] = []
        /// A Boolean value that says whether the replicator runs. The status `stopped` is reported only after it has
        /// become false, so that a listener can start the replicator again.
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

    func take(_ news: ReplicatorEvent) {
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
        case .replacedFile:
            let status = state.withLock { state in
                state.status.hasReplacedFile = true
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
        assert(collections.indices.contains(event.collection))
        var flags: DocumentFlags = event.isDeleted ? .deleted : []
        if event.isAccessRemoved { flags.insert(.accessRemoved) }
        return ReplicatedDocument(
            id: event.documentID, scope: collections[event.collection].scope,
            collection: collections[event.collection].name, flags: flags, error: error,
            resolvedConflict: event.resolution.map { ResolvedConflict($0) })
    }
}
