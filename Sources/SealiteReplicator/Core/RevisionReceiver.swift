/// Takes the revisions that a peer sends: fetches their attachments, inserts them in batches, and answers each only
/// when it is durable.
///
/// It serves the active side's puller and the passive side alike.
struct RevisionReceiver: Sendable {
    /// A revision that was received.
    struct Item: Sendable, Hashable {
        let request: BLIPRequest
        var revision: IncomingRevision
        /// As it was announced.
        let sequence: RemoteSequence?
        /// The bytes of the request, by which it is counted as unanswered.
        let byteCount: Int

        /// The same without what is of no use any more once the revision was taken apart.
        init(_ request: BLIPRequest, _ message: RevisionRequest, history: [WireRevisionID]) {
            self.request = BLIPRequest(number: request.number, properties: [:], body: [], flags: request.flags)
            revision = IncomingRevision(
                documentID: message.documentID, revisionID: message.revisionID, history: history,
                isDeleted: message.isDeleted, isConflictRefused: message.isConflictRefused,
                deltaSource: message.deltaSource, body: message.body)
            sequence = message.sequence
            byteCount = request.properties.byteCount + request.body.count
        }
    }

    /// How a revision ended.
    enum Outcome: Sendable, Equatable {
        case stored(Item, InsertOutcome)
        case failed(Item, SessionError)
        /// Its delta could not be used; the peer will send it whole.
        case wantedWhole(Item)
    }

    /// A revision that waits for attachments.
    private struct Fetching: Sendable {
        var item: Item
        var missing: Set<AttachmentDigest>
        /// Bytes of the names of what it waits for.
        let needByteCount: Int
    }

    let collection: Int
    let wireCollection: Int?
    private let limits: SessionLimits
    private var waiting: [Item] = []
    private var waitingByteCount = 0
    private var inserting: [TaskID: [Item]] = [:]
    private var insertingByteCount = 0
    private var fetching: [UInt64: Fetching] = [:]
    private var fetchQueue = Queue<(key: UInt64, need: AttachmentNeed)>()
    private var fetches: [TaskID: (key: UInt64, digest: AttachmentDigest)] = [:]
    private var lastKey: UInt64 = 0
    /// Requests whose revisions' attachments were fetched. A revision may come in two requests.
    private var refetched: Set<UInt64> = []
    /// Attachments whose content the peer has sent in this session.
    private var given = GivenAttachments()
    private var needByteCount = 0
    /// What a needed attachment takes in `fetching`, in `fetchQueue` and with the revision once it was fetched, about.
    private static let needOverhead = 256
    /// When what waits is to be inserted.
    private(set) var deadline: Moment?

    init(collection: Int, wireCollection: Int?, limits: SessionLimits) {
        self.collection = collection
        self.wireCollection = wireCollection
        self.limits = limits
    }

    /// Bytes that wait behind those that are being inserted.
    var backlogByteCount: Int { inserting.isEmpty ? 0 : waitingByteCount }
    /// Bytes that wait for attachments.
    private(set) var heldByteCount = 0
    /// Bytes of all revisions that were received and are not answered, and of what is known of attachments.
    var receivedByteCount: Int {
        waitingByteCount + insertingByteCount + heldByteCount + needByteCount + given.heldByteCount
    }
    /// What a revision is refused with when too many wait already; nil if there is room.
    var refusal: BLIPErrorReply? {
        guard heldByteCount > limits.heldByteCount else { return nil }
        return BLIPErrorReply(code: 503, message: "too many documents wait for their attachments")
    }
    var isBusy: Bool { !waiting.isEmpty || !inserting.isEmpty || !fetching.isEmpty }

    /// Takes a revision.
    mutating func receive(_ item: Item, at now: Moment, _ effects: inout Effects) {
        waiting.append(item)
        waitingByteCount += item.revision.body.count
        if deadline == nil { deadline = now.advanced(by: limits.insertionDelay) }
        if waiting.count >= limits.insertedRevisions || waitingByteCount >= limits.insertedByteCount {
            insert(&effects)
        }
    }

    /// Inserts what waits, if its time has come.
    mutating func wake(at now: Moment, _ effects: inout Effects) {
        if let deadline, deadline <= now { insert(&effects) }
    }

    /// Inserts what waits; more than one batch at a time would only wait in the database.
    mutating func insert(_ effects: inout Effects) {
        deadline = nil
        guard !waiting.isEmpty, inserting.isEmpty else { return }
        let items = Array(waiting.prefix(limits.insertedRevisions))
        waiting.removeFirst(items.count)
        insertingByteCount = items.reduce(0) { $0 + $1.revision.body.count }
        waitingByteCount -= insertingByteCount
        let request = StoreRequest.insert(items.map(\.revision), given: given)
        inserting[effects.store(request, collection: collection)] = items
    }

    /// Takes the result of something that was asked for.
    mutating func finished(_ task: TaskID, _ result: TaskResult, _ effects: inout Effects) -> [Outcome] {
        var outcomes: [Outcome] = []
        if let items = inserting.removeValue(forKey: task) {
            insertingByteCount = 0
            switch result {
            case .store(.inserted(let results)):
                for (item, result) in zip(items, results) { inserted(item, result, &outcomes, &effects) }
            case .store(.failed(let failure)):
                for item in items { inserted(item, .failed(failure), &outcomes, &effects) }
            default: break
            }
            // What came meanwhile has waited long enough.
            insert(&effects)
        } else if let fetch = fetches.removeValue(forKey: task), case .attachment(let result) = result {
            fetched(fetch.key, fetch.digest, result, &outcomes, &effects)
        }
        return outcomes
    }

    private mutating func inserted(
        _ item: Item, _ result: InsertOutcome, _ outcomes: inout [Outcome], _ effects: inout Effects
    ) {
        switch result {
        case .inserted, .resurrected, .conflict, .accessLost: effects.reply(to: item.request)
        case .known: effects.reply(to: item.request, BLIPOutgoing(["noop": "true"]))
        case .conflictRefused: effects.refuse(item.request, BLIPErrorReply(code: 409, message: "conflict"))
        case .refused(let error): effects.refuse(item.request, error)
        case .failed(let failure):
            effects.refuse(item.request, failure.reply)
            outcomes.append(.failed(item, SessionError(failure)))
            return
        case .deltaBaseMissing:
            effects.refuse(item.request, BLIPErrorReply(code: 422, message: "the delta cannot be applied"))
            outcomes.append(.wantedWhole(item))
            return
        case .needsAttachments(let needs):
            fetch(needs, for: item, &outcomes, &effects)
            return
        }
        if !refetched.isEmpty { refetched.remove(item.request.number) }
        outcomes.append(.stored(item, result))
    }

    private mutating func fetch(
        _ needs: [AttachmentNeed], for item: Item, _ outcomes: inout [Outcome], _ effects: inout Effects
    ) {
        // A database that asks twice for what was fetched would go on for ever.
        guard !needs.isEmpty, refetched.insert(item.request.number).inserted else {
            refetched.remove(item.request.number)
            fail(item, BLIPErrorReply(code: 500, message: "an attachment is missing"), .storage, &outcomes, &effects)
            return
        }
        lastKey += 1
        let entry = Fetching(
            item: item, missing: Set(needs.map(\.digest)), needByteCount: needs.count * Self.needOverhead)
        fetching[lastKey] = entry
        heldByteCount += item.byteCount
        needByteCount += entry.needByteCount
        var seen: Set<AttachmentDigest> = []
        for need in needs where seen.insert(need.digest).inserted { fetchQueue.append((lastKey, need)) }
        startFetches(&effects)
    }

    private mutating func startFetches(_ effects: inout Effects) {
        while fetches.count < limits.fetchedAttachments, let (key, need) = fetchQueue.popFirst() {
            guard let item = fetching[key]?.item else { continue }
            let request = GetAttachmentRequest(
                digest: need.digest, documentID: item.revision.documentID, isCompressible: need.isCompressible,
                collection: wireCollection)
            fetches[effects.fetch(request, byteCount: need.byteCount, collection: collection)] = (key, need.digest)
        }
    }

    private mutating func fetched(
        _ key: UInt64, _ digest: AttachmentDigest, _ result: AttachmentResult, _ outcomes: inout [Outcome],
        _ effects: inout Effects
    ) {
        defer { startFetches(&effects) }
        if case .stored = result {
            given.insert(digest)
            // In place: a copy for each attachment would make the work of a revision grow with the square of their number.
            fetching[key]?.missing.remove(digest)
            fetching[key]?.item.revision.given.insert(digest)
        }
        guard let entry = fetching[key] else { return }
        switch result {
        case .stored:
            guard entry.missing.isEmpty else { return }
            release(key)
            waiting.append(entry.item)
            waitingByteCount += entry.item.revision.body.count
            insert(&effects)
            return
        case .refused(let error):
            // What may pass, as an overloaded peer, leaves the revision to the next session.
            fail(entry.item, error, SessionError(error, during: "an attachment").code, &outcomes, &effects)
        case .corrupt:
            let error = BLIPErrorReply(code: 400, message: "the content of an attachment does not match its digest")
            fail(entry.item, error, .corruptAttachment, &outcomes, &effects)
        case .failed(let failure):
            effects.refuse(entry.item.request, failure.reply)
            outcomes.append(.failed(entry.item, SessionError(failure)))
        }
        release(key)
        refetched.remove(entry.item.request.number)
    }

    private mutating func release(_ key: UInt64) {
        guard let entry = fetching.removeValue(forKey: key) else { return }
        heldByteCount -= entry.item.byteCount
        needByteCount -= entry.needByteCount
    }

    private func fail(
        _ item: Item, _ reply: BLIPErrorReply, _ code: SessionError.Code, _ outcomes: inout [Outcome],
        _ effects: inout Effects
    ) {
        effects.refuse(item.request, reply)
        let shown = ForeignText.shown(reply.message, byteLimit: 500)
        outcomes.append(.failed(item, SessionError(code, "the document was not stored: \(shown)")))
    }
}
