/// The configuration of an active session.
package struct SessionConfiguration: Sendable, Hashable {
    /// One collection of both sides.
    package struct Collection: Sendable, Hashable {
        /// `scope.collection`, the default scope left out.
        var path: String
        /// See `CheckpointIdentity`.
        var checkpointID: String
        /// The id of the original's checkpoint in a copied database, read if the copy has none of its own yet.
        var previousCheckpointID: String?
        var isPush: Bool
        var isPull: Bool
        /// The only documents to replicate; nil for all.
        var documentIDs: [String]?
        /// The only channels to pull; nil for all.
        var channels: [String]?
        /// A Boolean value that says whether the local collection is empty, so that old tombstones need not be pulled.
        var isEmpty = false
        /// The last local sequence when the session was created. If the remote has lost its data, all documents up to
        /// it are offered again; later ones are known to be there or are offered anyway.
        var lastSequence: UInt64 = 0

        package init(
            path: String, checkpointID: String, previousCheckpointID: String? = nil, isPush: Bool, isPull: Bool,
            documentIDs: [String]? = nil, channels: [String]? = nil, isEmpty: Bool = false, lastSequence: UInt64 = 0
        ) {
            self.path = path
            self.checkpointID = checkpointID
            self.previousCheckpointID = previousCheckpointID
            self.isPush = isPush
            self.isPull = isPull
            self.documentIDs = documentIDs
            self.channels = channels
            self.isEmpty = isEmpty
            self.lastSequence = lastSequence
        }
    }

    /// The collections, at least one.
    var collections: [Collection]
    /// A Boolean value that says whether the session continues after everything is replicated.
    package var isContinuous = false
    /// A Boolean value that says whether the checkpoints and the knowledge of the remote's revisions are ignored:
    /// everything is compared and offered again.
    package var isReset = false
    /// A Boolean value that says whether documents that the remote refused in earlier sessions are offered again.
    package var retriesRefused = false
    /// A Boolean value that says whether documents are purged when access to them is lost.
    package var isAutoPurging = true
    /// A Boolean value that says whether the database has version vectors; else it has revision trees.
    package var hasVectors = false
    /// The public UUID of the local database, sent for the peer's log.
    package var databaseUUID: String?
    /// A Boolean value that says whether the peer is asked for the names of its collections.
    package var asksForCollections = false
    /// The delay before a changed checkpoint is saved, in which further changes may follow.
    var checkpointInterval: Duration = .seconds(5)
    var limits = SessionLimits()

    package init(
        collections: [Collection], isContinuous: Bool = false, isReset: Bool = false, retriesRefused: Bool = false,
        isAutoPurging: Bool = true, databaseUUID: String? = nil, checkpointInterval: Duration = .seconds(5),
        limits: SessionLimits = SessionLimits()
    ) {
        self.collections = collections
        self.isContinuous = isContinuous
        self.isReset = isReset
        self.retriesRefused = retriesRefused
        self.isAutoPurging = isAutoPurging
        self.databaseUUID = databaseUUID
        self.checkpointInterval = checkpointInterval
        self.limits = limits
    }
}

/// The limits on a session's concurrent work, and on the memory that its peer may make it use.
package struct SessionLimits: Sendable, Hashable {
    var messages = MessageLimits()
    /// Most rows of a list that is sent.
    var changesPerList = 200
    /// The maximum number of unanswered lists; one once all changes are announced.
    var listsInFlight = 5
    /// The maximum number of revisions that wait to be sent before further lists are made.
    var queuedRevisions = 600
    /// Most revisions that are loaded at once.
    var loadingRevisions = 100
    /// Most bytes of sent revisions that wait for their answer.
    var unansweredByteCount: UInt64 = 2 << 20
    /// Most sent revisions that wait for their answer.
    var unansweredRevisions = 500
    /// The number of requested revisions above which no further list is answered.
    var requestedRevisions = 400
    /// The maximum number of the peer's unanswered lists; a further one ends the session.
    var waitingLists = 64
    /// Most revisions that are inserted together, and most bytes of them.
    var insertedRevisions = 200
    var insertedByteCount = 4 << 20
    /// The time for which received revisions wait for others before they are inserted.
    var insertionDelay: Duration = .milliseconds(2)
    /// Most attachments that are fetched at once.
    var fetchedAttachments = 8
    /// Most attachments that are fetched for one revision; one that needs more is refused.
    var neededAttachments = 10_000
    /// The number of bytes of revisions waiting for their attachments above which no further list is answered and
    /// further revisions are refused for now, since the size of requested revisions isn't known in advance.
    var heldByteCountForLists = 8 << 20
    var heldByteCount = 48 << 20
    /// The maximum total size of the document ids in a peer's subscriptions, in bytes.
    var filterByteCount = 1 << 20
    /// Most revisions wanted in a history.
    var maxHistory = 50

    init() {}
}
