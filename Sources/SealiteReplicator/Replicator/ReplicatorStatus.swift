/// The status of a replicator.
public struct ReplicatorStatus: Sendable, Equatable {
    /// The activity.
    public enum Activity: String, Sendable {
        /// Nothing: not started, done, or ended by an error.
        case stopped
        /// Waiting to try again.
        case offline
        /// Opening the connection, or agreeing on collections and checkpoints.
        case connecting
        /// Caught up, with nothing under way.
        case idle
        /// Replicating.
        case busy
    }

    /// The progress.
    public struct Progress: Sendable, Equatable {
        /// Bytes of documents that were handled since the start.
        public internal(set) var completed: UInt64 = 0
        /// Bytes of documents that are known to be handled; it may grow.
        public internal(set) var total: UInt64 = 0
        /// Documents that were handled since the start.
        public internal(set) var documentCount: UInt64 = 0
    }

    /// The activity.
    public internal(set) var activity = Activity.stopped
    /// The progress.
    public internal(set) var progress = Progress()
    /// The error for which it stopped or is offline.
    public internal(set) var error: ReplicatorError?
    /// The collections, as `scope.name`, whose replication checkpoint the remote turned out to have lost since the start, as a
    /// server does that was set up anew. All their documents are compared, and offered to it, again.
    public internal(set) var lostCheckpoints: [String] = []
    /// The names of the remote's collections, those of the default scope without their scope; nil if the remote wasn't asked
    /// (``ReplicatorConfiguration/asksForCollections``) or doesn't tell, as a Sync Gateway.
    public internal(set) var remoteCollections: [String]?
}

/// Documents that were replicated one way, or could not be.
public struct DocumentReplication: Sendable {
    /// A Boolean value that says whether they were pushed, else pulled.
    public let isPush: Bool
    /// The documents.
    public let documents: [ReplicatedDocument]
}

/// A document that was replicated, or could not be.
public struct ReplicatedDocument: Sendable {
    /// The document's id.
    public let id: String
    /// The scope of its collection.
    public let scope: String
    /// The name of its collection.
    public let collection: String
    /// Flags of a document that is deleted, or to which access was lost.
    public let flags: DocumentFlags
    /// The error for which it could not be replicated; nil if it was.
    public let error: ReplicatorError?
}
