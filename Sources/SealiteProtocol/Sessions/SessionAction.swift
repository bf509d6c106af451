/// A point in time, given by the session's owner.
package typealias Moment = ContinuousClock.Instant

/// Identifies a requested task until its result arrives.
package struct TaskID: Hashable, Sendable, Comparable {
    let value: UInt64

    package static func < (left: TaskID, right: TaskID) -> Bool { left.value < right.value }
}

/// An action that a session asks of its owner.
package enum SessionAction: Sendable, Equatable {
    /// Send a request; its reply comes back as `TaskResult.reply`.
    case send(BLIPOutgoing, TaskID)
    /// Send a request that expects no reply.
    case sendOnly(BLIPOutgoing)
    /// Answer a request of the peer.
    case reply(to: UInt64, BLIPOutgoing)
    /// Answer a request of the peer with an error.
    case refuse(UInt64, BLIPErrorReply)
    /// Send the database a request about a collection, given by its index in the session. The result is
    /// `TaskResult.store`.
    case store(StoreRequest, collection: Int, TaskID)
    /// Fetch an attachment into the database and verify its digest and length. The result is `TaskResult.attachment`.
    case fetchAttachment(GetAttachmentRequest, byteCount: UInt64?, collection: Int, TaskID)
    /// Answer a request with an attachment's content, in pieces, or with HTTP 404.
    case serveAttachment(to: UInt64, GetAttachmentRequest, collection: Int)
    /// Answer a request with the proof of an attachment, or with HTTP 404.
    case proveAttachment(to: UInt64, ProveAttachmentRequest, collection: Int)
    /// Report documents to the application.
    case documents([DocumentEvent])
    /// Report the session's status to the application.
    case status(SessionStatus)
    /// Close the connection with a WebSocket code. No action follows.
    case close(code: Int, SessionError?)
}

/// The result of a requested task.
package enum TaskResult: Sendable {
    case reply(BLIPReply)
    case store(StoreResult)
    case attachment(AttachmentResult)
}

/// The result of fetching an attachment.
package enum AttachmentResult: Sendable, Hashable {
    /// The attachment is in the database.
    case stored
    /// The peer answered with an error.
    case refused(BLIPErrorReply)
    /// The content doesn't match the digest or the length.
    case corrupt
    /// The database couldn't store the attachment.
    case failed(StoreFailure)
}

/// A document that was replicated, or could not be.
package struct DocumentEvent: Sendable, Equatable {
    /// The collection's index in the session.
    package var collection: Int
    package var documentID: String
    package var isPush: Bool
    package var isDeleted = false
    /// A Boolean value that says whether access to the document was lost.
    package var isAccessRemoved = false
    /// The error because of which the document couldn't be replicated; `conflict` if a conflict waits for its resolver.
    package var error: SessionError?
    /// The end of the document's conflict, if it was resolved.
    package var resolution: ConflictEnd?

    package init(
        collection: Int, documentID: String, isPush: Bool, isDeleted: Bool = false, isAccessRemoved: Bool = false,
        error: SessionError? = nil
    ) {
        self.collection = collection
        self.documentID = documentID
        self.isPush = isPush
        self.isDeleted = isDeleted
        self.isAccessRemoved = isAccessRemoved
        self.error = error
    }
}

/// The end of a conflict.
package struct ConflictEnd: Sendable, Equatable {
    /// The side whose document counts now: `local` or `remote`; `merged` for another content, `deleted` for none.
    package enum Winner: String, Sendable {
        case local, remote, merged, deleted
    }

    package let winner: Winner
    /// The revisions that were in conflict.
    package let localRevisionID: String
    package let remoteRevisionID: String

    package init(_ winner: Winner, local: String, remote: String) {
        (self.winner, localRevisionID, remoteRevisionID) = (winner, local, remote)
    }
}

/// The status of a session.
package struct SessionStatus: Sendable, Hashable {
    package enum Activity: Sendable, Hashable {
        /// Agreeing on collections and checkpoints.
        case connecting
        /// Caught up: no work is in progress and all checkpoints are saved.
        case idle
        case busy
    }

    package var activity: Activity
    /// The number of bytes of bodies processed, followed by the number known to need processing.
    package var completedByteCount: UInt64 = 0
    package var totalByteCount: UInt64 = 0
    /// The number of documents processed.
    package var documentCount: UInt64 = 0
    /// The numbers of documents by outcome.
    package var outcomes = OutcomeCounts()
    /// A Boolean value that says whether a checkpoint was saved at both sides, so that a later session begins further
    /// on.
    package var hasSavedCheckpoint = false
    /// A Boolean value that says whether the session has been idle with nothing left to the next session.
    package var hasCaughtUp = false
    /// The collections whose replication checkpoint the remote has lost, so that everything is compared and offered
    /// again.
    package var lostCheckpoints: Set<Int> = []
    /// The names of the remote's collections, if it was asked for them and told.
    package var remoteCollections: [String]?

    /// A Boolean value that says whether the session made progress: a document was replicated, a checkpoint was saved,
    /// or it caught up.
    package var hasProgressed: Bool { documentCount > 0 || hasSavedCheckpoint || hasCaughtUp }
}

/// The numbers of documents by the outcome of their replication.
package struct OutcomeCounts: Sendable, Hashable {
    /// The documents that the peer accepted.
    package var pushed: UInt64 = 0
    /// The documents that were offered, and that the peer had already.
    package var known: UInt64 = 0
    /// The documents that were pulled without a conflict.
    package var pulled: UInt64 = 0
    /// The documents that were purged because access to them was lost.
    package var removed: UInt64 = 0
    /// The documents that the peer refused when it pulled them; counted by the passive side.
    package var refusedByPuller: UInt64 = 0

    package init() {}

    static func + (left: OutcomeCounts, right: OutcomeCounts) -> OutcomeCounts {
        var sum = left
        sum.pushed += right.pushed
        sum.known += right.known
        sum.pulled += right.pulled
        sum.removed += right.removed
        sum.refusedByPuller += right.refusedByPuller
        return sum
    }
}

/// Bytes and documents of one direction.
struct TransferProgress: Sendable, Hashable {
    var completedByteCount: UInt64 = 0
    var totalByteCount: UInt64 = 0
    var documentCount: UInt64 = 0
    var outcomes = OutcomeCounts()

    mutating func add(_ byteCount: UInt64) { totalByteCount += byteCount }

    mutating func complete(_ byteCount: UInt64) {
        completedByteCount += byteCount
        documentCount += 1
    }

    static func + (left: TransferProgress, right: TransferProgress) -> TransferProgress {
        TransferProgress(
            completedByteCount: left.completedByteCount + right.completedByteCount,
            totalByteCount: left.totalByteCount + right.totalByteCount,
            documentCount: left.documentCount + right.documentCount, outcomes: left.outcomes + right.outcomes)
    }
}

/// Collects the actions of a session's parts, and records which part waits for which result.
struct Effects: Sendable {
    /// A part of a session; a part of a collection has its index.
    enum Owner: Sendable, Hashable {
        case session
        case checkpointer(Int)
        case pusher(Int)
        case puller(Int)
        case feed(Int)
        case receiver(Int)
    }

    /// The part that is acting.
    var owner = Owner.session
    private var actions: [SessionAction] = []
    private var owners: [TaskID: Owner] = [:]
    private var lastID: UInt64 = 0
    private var events: [DocumentEvent] = []
    /// The attachments that the peer may fetch.
    var offers = AttachmentOffers()

    /// A Boolean value that says whether no result is awaited.
    var isQuiet: Bool { owners.isEmpty }

    mutating func send(_ message: BLIPOutgoing) -> TaskID {
        let id = makeID()
        actions.append(.send(message, id))
        return id
    }

    mutating func store(_ request: StoreRequest, collection: Int) -> TaskID {
        let id = makeID()
        actions.append(.store(request, collection: collection, id))
        return id
    }

    mutating func fetch(_ request: GetAttachmentRequest, byteCount: UInt64?, collection: Int) -> TaskID {
        let id = makeID()
        actions.append(.fetchAttachment(request, byteCount: byteCount, collection: collection, id))
        return id
    }

    mutating func perform(_ action: SessionAction) { actions.append(action) }

    /// Answers a request, if it expects a reply.
    mutating func reply(to request: BLIPRequest, _ message: BLIPOutgoing = BLIPOutgoing()) {
        if request.wantsReply { actions.append(.reply(to: request.number, message)) }
    }

    /// Answers a request with an error, if it expects a reply.
    mutating func refuse(_ request: BLIPRequest, _ error: BLIPErrorReply) {
        if request.wantsReply { actions.append(.refuse(request.number, error)) }
    }

    /// Reports a document; the reports of one step are sent together.
    mutating func report(_ event: DocumentEvent) { events.append(event) }

    /// Removes and returns the part that waits for a result.
    mutating func takeOwner(of id: TaskID) -> Owner? { owners.removeValue(forKey: id) }

    /// Removes and returns all collected actions.
    mutating func takeActions() -> [SessionAction] {
        if !events.isEmpty { actions.append(.documents(events)) }
        defer { (actions, events) = ([], []) }
        return actions
    }

    private mutating func makeID() -> TaskID {
        lastID += 1
        let id = TaskID(value: lastID)
        owners[id] = owner
        return id
    }
}
