/// The configuration of an active session.
package struct SessionConfiguration: Sendable, Hashable {
    /// One collection of both sides.
    package struct Collection: Sendable, Hashable {
        /// `scope.collection`, the default scope left out.
        var path: String
        /// See `CheckpointIdentity`.
        var checkpointID: String
        /// In a copy, where the original keeps its checkpoint, which is read where there is none yet.
        var previousCheckpointID: String?
        var isPush: Bool
        var isPull: Bool
        /// The only documents to replicate; nil is all.
        var documentIDs: [String]?
        /// The only channels to pull; nil is all.
        var channels: [String]?
        /// A Boolean value that says whether there is no local document, so that old tombstones need not be pulled.
        var isEmpty = false
        /// The last local sequence when the session was made. Where the remote has lost what it had, all documents through it
        /// are offered again; what came later is known to be there, or is offered anyway.
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
    /// A Boolean value that says whether the session goes on when all is replicated.
    package var isContinuous = false
    /// A Boolean value that says whether the checkpoints and what the remote is known to have are ignored: everything is
    /// compared, and offered, again.
    package var isReset = false
    /// A Boolean value that says whether documents that the remote refused in earlier sessions are offered again.
    package var retriesRefused = false
    /// A Boolean value that says whether documents are purged when access to them is lost.
    package var isAutoPurging = true
    /// The public UUID of the local database, sent along for the peer's log.
    package var databaseUUID: String?
    /// A Boolean value that says whether the peer is asked for the names of its collections.
    package var asksForCollections = false
    /// The time for which a changed checkpoint waits for further changes before it is saved.
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

/// The limits of the work that a session has under way at once, and of the bytes that its peer may make it hold.
package struct SessionLimits: Sendable, Hashable {
    var messages = MessageLimits()
    /// Most rows of a list that is sent.
    var changesPerList = 200
    /// Most lists that wait for their answer; one once all is announced.
    var listsInFlight = 5
    /// Most revisions that wait to be sent, before further lists are made.
    var queuedRevisions = 600
    /// Most revisions that are loaded at once.
    var loadingRevisions = 100
    /// Most bytes of sent revisions that wait for their answer.
    var unansweredByteCount: UInt64 = 2 << 20
    /// Most sent revisions that wait for their answer.
    var unansweredRevisions = 500
    /// Announced revisions that were asked for, above which no further list is answered.
    var requestedRevisions = 400
    /// Most lists of the peer that wait to be answered; a further one ends the session.
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
    /// Bytes of revisions that wait for their attachments above which no further list is answered, and above which further
    /// revisions are refused for now: nobody says beforehand how large what was asked for is.
    var heldByteCountForLists = 8 << 20
    var heldByteCount = 48 << 20
    /// Most bytes of document IDs that a peer's subscriptions to changes may name, together.
    var filterByteCount = 1 << 20
    /// Most revisions wanted in a history.
    var maxHistory = 50

    init() {}
}
