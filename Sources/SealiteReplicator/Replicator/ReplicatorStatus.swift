internal import SealiteProtocol

/// The status of a replicator.
public struct ReplicatorStatus: Sendable, Equatable {
    /// The activities of a replicator.
    public enum Activity: String, Sendable {
        /// Not started, completed, or ended by an error.
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
        /// The number of conflicts that were resolved since the start.
        public internal(set) var resolvedConflictCount: UInt64 = 0
    }

    /// The activity.
    public internal(set) var activity = Activity.stopped
    /// The progress.
    public internal(set) var progress = Progress()
    /// The error because of which the replicator stopped or is offline.
    public internal(set) var error: ReplicatorError?
    /// The collections, as `scope.name`, whose replication checkpoint the remote has lost since the start, as a newly
    /// installed server has. All their documents are compared and offered again.
    public internal(set) var lostCheckpoints: [String] = []
    /// The names of the remote's collections, those of the default scope without their scope; nil if the remote wasn't asked
    /// (``ReplicatorConfiguration/asksForCollections``) or doesn't tell, as a Sync Gateway.
    public internal(set) var remoteCollections: [String]?
}

/// Documents that were replicated in one direction, or failed to be.
public struct DocumentReplication: Sendable {
    /// A Boolean value that says whether the documents were pushed rather than pulled.
    public let isPush: Bool
    /// The documents.
    public let documents: [ReplicatedDocument]
}

/// A document that was replicated, or failed to be.
public struct ReplicatedDocument: Sendable {
    /// The document's id.
    public let id: String
    /// The scope of its collection.
    public let scope: String
    /// The name of its collection.
    public let collection: String
    /// The flags of a document that is deleted, or to which access was lost.
    public let flags: DocumentFlags
    /// The error because of which the document couldn't be replicated; nil if it was.
    public let error: ReplicatorError?
    /// The end of the document's conflict; nil if it had none, or it isn't resolved.
    public let resolvedConflict: ResolvedConflict?
}

/// The end of a conflict. What a side that didn't win had changed is stored nowhere any more.
public struct ResolvedConflict: Sendable, Hashable {
    /// The document that counts now.
    public enum Winner: String, Sendable {
        /// The one of this side.
        case local
        /// The one of the remote.
        case remote
        /// One with the properties that the resolver gave.
        case merged
        /// None: it is deleted.
        case deleted
    }

    /// The document that counts now.
    public let winner: Winner
    /// The id of this side's revision that was in conflict.
    public let localRevisionID: String
    /// The id of the remote's revision that was in conflict.
    public let remoteRevisionID: String

    init(_ end: ConflictEnd) {
        winner = Winner(rawValue: end.winner.rawValue) ?? .merged
        (localRevisionID, remoteRevisionID) = (end.localRevisionID, end.remoteRevisionID)
    }
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
        return sum
    }
}
