/// A point in time, given by the session's owner.
package typealias Moment = ContinuousClock.Instant

/// Names something that was asked for until its result comes.
package struct TaskID: Hashable, Sendable, Comparable {
    let value: UInt64

    package static func < (left: TaskID, right: TaskID) -> Bool { left.value < right.value }
}

/// An action that a session asks of its owner.
package enum SessionAction: Sendable, Equatable {
    /// Send a request; its reply comes back as `TaskResult.reply`.
    case send(BLIPOutgoing, TaskID)
    /// Send a request that wants no reply.
    case sendOnly(BLIPOutgoing)
    /// Answer a request of the peer.
    case reply(to: UInt64, BLIPOutgoing)
    /// Answer a request of the peer with an error.
    case refuse(UInt64, BLIPErrorReply)
    /// Ask the database about a collection (an index into the session's); the result comes back as `TaskResult.store`.
    case store(StoreRequest, collection: Int, TaskID)
    /// Fetch an attachment into the database, its digest and length verified; ends with `TaskResult.attachment`.
    case fetchAttachment(GetAttachmentRequest, byteCount: UInt64?, collection: Int, TaskID)
    /// Answer a request with an attachment's content, in pieces, or with HTTP 404.
    case serveAttachment(to: UInt64, GetAttachmentRequest, collection: Int)
    /// Answer a request with the proof of an attachment, or with HTTP 404.
    case proveAttachment(to: UInt64, ProveAttachmentRequest, collection: Int)
    /// Tell the application about documents.
    case documents([DocumentEvent])
    /// Tell the application about the session.
    case status(SessionStatus)
    /// Close the connection with a WebSocket code. Nothing follows.
    case close(code: Int, SessionError?)
}

/// The result of an action that was asked for.
package enum TaskResult: Sendable {
    case reply(BLIPReply)
    case store(StoreResult)
    case attachment(AttachmentResult)
}

/// The result of fetching an attachment.
package enum AttachmentResult: Sendable, Hashable {
    /// It is in the database.
    case stored
    /// The peer answered with an error.
    case refused(BLIPErrorReply)
    /// The content is not what the digest names, or of another length.
    case corrupt
    /// The database could not take it.
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
    /// The error for which the document could not be replicated. A conflict that waits for its resolver has `conflict`.
    package var error: SessionError?

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

/// The status of a session.
package struct SessionStatus: Sendable, Hashable {
    package enum Activity: Sendable, Hashable {
        /// Agreeing on collections and checkpoints.
        case connecting
        /// Caught up, with nothing under way and all checkpoints saved.
        case idle
        case busy
    }

    package var activity: Activity
    /// Bytes of bodies that were handled, and that are known to be handled.
    package var completedByteCount: UInt64 = 0
    package var totalByteCount: UInt64 = 0
    /// Documents that were handled.
    package var documentCount: UInt64 = 0
    /// A Boolean value that says whether a checkpoint was saved at both sides, so that a later session begins further
    /// on.
    package var hasSavedCheckpoint = false
    /// A Boolean value that says whether the session was idle once, with nothing left to the next session.
    package var hasCaughtUp = false
    /// The collections whose replication checkpoint the remote has lost, so that all is compared and offered again.
    package var lostCheckpoints: Set<Int> = []
    /// The names of the remote's collections, if it was asked for them and told.
    package var remoteCollections: [String]?

    /// A Boolean value that says whether the session was worth its connection: something was handled for good, or all
    /// was.
    package var hasProgressed: Bool { documentCount > 0 || hasSavedCheckpoint || hasCaughtUp }
}

/// Bytes and documents of one direction.
struct TransferProgress: Sendable, Hashable {
    var completedByteCount: UInt64 = 0
    var totalByteCount: UInt64 = 0
    var documentCount: UInt64 = 0

    mutating func add(_ byteCount: UInt64) { totalByteCount += byteCount }

    mutating func complete(_ byteCount: UInt64) {
        completedByteCount += byteCount
        documentCount += 1
    }

    static func + (left: TransferProgress, right: TransferProgress) -> TransferProgress {
        TransferProgress(
            completedByteCount: left.completedByteCount + right.completedByteCount,
            totalByteCount: left.totalByteCount + right.totalByteCount,
            documentCount: left.documentCount + right.documentCount)
    }
}

/// Collects the actions of a session's parts, and remembers which part waits for which result.
struct Effects: Sendable {
    /// A part of a session; those of a collection with its index.
    enum Owner: Sendable, Hashable {
        case session
        case checkpointer(Int)
        case pusher(Int)
        case puller(Int)
        case feed(Int)
        case receiver(Int)
    }

    /// The part that acts now.
    var owner = Owner.session
    private var actions: [SessionAction] = []
    private var owners: [TaskID: Owner] = [:]
    private var lastID: UInt64 = 0
    private var events: [DocumentEvent] = []
    /// The attachments that the peer may fetch.
    var offers = AttachmentOffers()

    /// A Boolean value that says whether nothing is awaited.
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

    /// Answers a request, if it wants that.
    mutating func reply(to request: BLIPRequest, _ message: BLIPOutgoing = BLIPOutgoing()) {
        if request.wantsReply { actions.append(.reply(to: request.number, message)) }
    }

    /// Answers a request with an error, if it wants an answer.
    mutating func refuse(_ request: BLIPRequest, _ error: BLIPErrorReply) {
        if request.wantsReply { actions.append(.refuse(request.number, error)) }
    }

    /// Reports a document; reports of one step go out together.
    mutating func report(_ event: DocumentEvent) { events.append(event) }

    /// The part that waits for a result, once.
    mutating func takeOwner(of id: TaskID) -> Owner? { owners.removeValue(forKey: id) }

    /// Everything that was collected.
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
