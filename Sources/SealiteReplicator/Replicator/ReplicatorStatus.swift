internal import SealiteProtocol

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
        return sum
    }
}
