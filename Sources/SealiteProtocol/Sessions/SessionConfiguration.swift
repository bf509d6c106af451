/// The configuration of an active session.
package struct SessionConfiguration: Sendable, Hashable {
    /// A collection to replicate with the peer's collection of the same name.
    package struct Collection: Sendable, Hashable {
        /// The name of the collection as `scope.collection`, or as `collection` in the default scope.
        package var path: String
        /// The name under which both sides store the replication checkpoint (`CheckpointIdentity.id()`).
        package var checkpointID: String
        /// In a copied database, the name of the original's checkpoint, which is read if the copy has none of its own
        /// yet; nil otherwise.
        var previousCheckpointID: String?
        var isPush: Bool
        var isPull: Bool
        /// The IDs of the only documents to replicate; nil for all.
        var documentIDs: [String]?
        /// The only channels of a Sync Gateway to pull; nil for all.
        var channels: [String]?
        /// A Boolean value that says whether the local collection is empty, so that old tombstones need not be pulled.
        var isEmpty = false
        /// The last local sequence when the session was created. If the remote has lost its data, all documents up to
        /// it are offered again; later documents are known to be at the remote, or are offered anyway.
        var lastSequence: UInt64 = 0
        /// The IDs of documents of the remote that couldn't be stored in earlier sessions, and that are recorded as
        /// refused.
        package var unstoredIDs: [String] = []
        /// A Boolean value that says whether the session only asks again for the documents `documentIDs`, which couldn't
        /// be stored in earlier sessions. It ignores the checkpoint and saves none.
        package var isSecondAttempt = false

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
    package var collections: [Collection]
    /// A Boolean value that says whether the session continues after everything is replicated.
    package var isContinuous = false
    /// A Boolean value that says whether the checkpoints and the knowledge of the remote's revisions are ignored:
    /// everything is compared and offered again.
    package var isReset = false
    /// A Boolean value that says whether documents that the remote refused in earlier sessions are offered again.
    package var retriesRefused = false
    /// A Boolean value that says whether documents are purged when access to them is lost.
    package var isAutoPurging = true
    /// A Boolean value that says whether revisions are sent and taken as deltas, if the peer does so too.
    package var usesDeltas = true
    /// A Boolean value that says whether the database has version vectors, rather than revision trees.
    package var hasVectors = false
    /// The source id of the versions that the database writes; nil for a database of revision trees.
    package var source: String?
    /// A random text that distinguishes the checkpoints of this session from those of a copy of the database's file.
    package var saveToken = ""
    /// The public UUID of the local database, sent for the peer's log.
    package var databaseUUID: String?
    /// A Boolean value that says whether the peer is asked for the names of its collections.
    package var asksForCollections = false
    /// The delay before a changed checkpoint is saved, in which further changes may follow.
    var checkpointInterval: Duration = .seconds(5)
    var limits = SessionLimits()

    package init(collections: [Collection], isContinuous: Bool = false) {
        self.collections = collections
        self.isContinuous = isContinuous
    }
}

/// The limits on a session's concurrent work, and on the memory that its peer may make it use.
package struct SessionLimits: Sendable, Hashable {
    var messages = MessageLimits()
    /// The maximum number of rows in a list of changes or proposals that this side sends.
    var changesPerList = 200
    /// The number of sent lists of changes or proposals without a reply at which no further changes are looked for.
    /// Once all existing changes are announced, the number is one.
    var listsInFlight = 5
    /// The number of sent lists without a reply, of all collections of a connection together, at which no further
    /// changes are looked for.
    var sharedListsInFlight = 64
    /// The number of revisions waiting to be sent at which no further list of changes or proposals is sent.
    var queuedRevisions = 600
    /// The maximum number of revisions that are loaded from the database at once.
    var loadingRevisions = 100
    /// The number of bytes of sent revisions without a reply at which no further revisions are loaded and sent.
    var unansweredByteCount: UInt64 = 2 << 20
    /// The number of sent revisions without a reply at which no further revisions are loaded and sent.
    var unansweredRevisions = 500
    /// The number of bytes of sent revisions without a reply, of all collections of a connection together, at which no
    /// further revisions are loaded and sent.
    var sharedUnansweredByteCount: UInt64 = 8 << 20
    /// The number of sent revisions without a reply, of all collections of a connection together, at which no further
    /// revisions are loaded and sent. The peer may accept 8,192 unanswered requests on a connection.
    var sharedUnansweredRevisions = 2_000
    /// The number of requested revisions that aren't stored yet at which no further list of the peer's changes is
    /// answered.
    var requestedRevisions = 400
    /// The number of requested revisions that aren't stored yet, of all collections of a connection together, at which no
    /// further list of the peer's changes is answered: the peer sends what is requested, whatever its own limits are.
    var sharedRequestedRevisions = 2_000
    /// The maximum number of the peer's lists of changes that wait to be compared with the database; a further one ends
    /// the session.
    var waitingLists = 64
    /// The maximum number of revisions that are inserted together.
    var insertedRevisions = 200
    /// The number of bytes of received revisions at which they are inserted without waiting for others.
    var insertedByteCount = 4 << 20
    /// The time for which received revisions wait for others before they are inserted.
    var insertionDelay: Duration = .milliseconds(2)
    /// The maximum number of attachments that are fetched at once.
    var fetchedAttachments = 8
    /// The maximum number of attachments that are fetched for one revision; one that needs more is refused.
    var neededAttachments = 10_000
    /// The number of bytes of revisions that wait for their attachments, or for an earlier revision of their document,
    /// above which no further list of the peer's changes is answered.
    var heldByteCountForLists = 8 << 20
    /// The number of bytes of revisions that wait for their attachments, or for an earlier revision of their document,
    /// above which further revisions are refused for now. The size of requested revisions isn't known in advance.
    var heldByteCount = 48 << 20
    /// The maximum total size of the document IDs in a peer's subscriptions, in bytes.
    var filterByteCount = 1 << 20
    /// The maximum number of revisions that this side requests, or sends by default, in a history.
    var maxHistory = 50

    init() {}
}
