/// Collects the actions of a session's parts, and records which part waits for which result.
struct SessionActions: Sendable {
    /// A part of a session that can wait for a result. A part of a collection is identified by the collection's index.
    enum Owner: Sendable, Hashable {
        case session
        case checkpointer(Int)
        case pusher(Int)
        case puller(Int)
        case feed(Int)
        case receiver(Int)

        /// The index of the part's collection; nil for the session itself.
        var collection: Int? {
            switch self {
            case .session: nil
            case .checkpointer(let index), .pusher(let index), .puller(let index), .feed(let index),
                .receiver(let index):
                index
            }
        }
    }

    /// The part of the session that is adding actions now.
    var owner = Owner.session { didSet { if let index = owner.collection { touched.insert(index) } } }
    /// The collections of which a part has added actions, or may have changed, since `takeTouched()`.
    private var touched: Set<Int> = []
    private var actions: [SessionAction] = []
    private var owners: [TaskID: Owner] = [:]
    private var lastID: UInt64 = 0
    private var events: [DocumentEvent] = []
    /// The attachments that the peer may fetch from this side.
    var offers = AttachmentOffers()
    /// The window for the revisions that were requested and aren't stored yet.
    var requested: SharedWindow
    /// The window for the lists of changes and proposals without a reply.
    var lists: SharedWindow
    /// The window for the revisions that are being loaded, or were sent and have no reply.
    var revisions: SharedWindow

    init(_ limits: SessionLimits = SessionLimits()) {
        requested = SharedWindow(count: limits.sharedRequestedRevisions)
        lists = SharedWindow(count: limits.sharedListsInFlight)
        revisions = SharedWindow(
            count: limits.sharedUnansweredRevisions, byteCount: limits.sharedUnansweredByteCount)
    }

    /// Removes and returns the indices of the collections that were touched since the last call, in ascending order.
    mutating func takeTouched() -> [Int] {
        guard !touched.isEmpty else { return [] }
        defer { touched.removeAll(keepingCapacity: true) }
        return touched.count == 1 ? Array(touched) : touched.sorted()
    }

    /// A Boolean value that says whether no part waits for a result.
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

    /// Reports a document to the application; the reports of one step are passed on together, after its other actions.
    mutating func report(_ event: DocumentEvent) { events.append(event) }

    /// Removes and returns the part that waits for the result of a task; nil if none does.
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
        assert(owners[id] == nil, "a task has one owner")
        owners[id] = owner
        return id
    }
}

/// A point in time of the monotonic clock, which a session is given by its owner.
package typealias Moment = ContinuousClock.Instant

/// An action that a session asks of its owner.
package enum SessionAction: Sendable, Equatable {
    /// Send a request; its reply is passed to the session as `TaskResult.reply`.
    case send(BLIPOutgoing, TaskID)
    /// Send a request that expects no reply.
    case sendOnly(BLIPOutgoing)
    /// Answer a request of the peer, given by its number.
    case reply(to: UInt64, BLIPOutgoing)
    /// Answer a request of the peer, given by its number, with an error.
    case refuse(UInt64, BLIPErrorReply)
    /// Send the database a request about a collection, given by its index in the session. The result is
    /// `TaskResult.store`.
    case store(StoreRequest, collection: Int, TaskID)
    /// Fetch an attachment into the database and verify its digest and length. The result is `TaskResult.attachment`.
    case fetchAttachment(GetAttachmentRequest, byteCount: UInt64?, collection: Int, TaskID)
    /// Answer a request of the peer, given by its number, with an attachment's content, in pieces, or with HTTP 404 if
    /// it isn't stored.
    case serveAttachment(to: UInt64, GetAttachmentRequest, collection: Int)
    /// Answer a request of the peer, given by its number, with the proof of an attachment, or with HTTP 404 if it isn't
    /// stored.
    case proveAttachment(to: UInt64, ProveAttachmentRequest, collection: Int)
    /// Report documents that were replicated, or couldn't be, to the application.
    case documents([DocumentEvent])
    /// Report the session's status to the application.
    case status(SessionStatus)
    /// Close the connection with a WebSocket code, because of the error if there is one. Only `documents` may follow.
    case close(code: Int, SessionError?)
}

/// The current time, passed to a session by its owner.
package struct Now: Sendable, Hashable {
    /// The monotonic time, for intervals.
    package var moment: Moment
    /// The wall-clock time in seconds since 1970, for people.
    var unixSeconds: UInt64

    package init(moment: Moment, unixSeconds: UInt64) {
        self.moment = moment
        self.unixSeconds = unixSeconds
    }
}
