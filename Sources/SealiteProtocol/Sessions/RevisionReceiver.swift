internal import SealiteRevisions

/// Receives the revisions that a peer sends: fetches their attachments, inserts them in batches, and replies to each
/// revision only when it is durable.
///
/// Both the active side's puller and the passive side use it.
package struct RevisionReceiver: Sendable {
    /// A received revision, with the request that contained it.
    package struct Item: Sendable, Hashable {
        let request: BLIPRequest
        var revision: IncomingRevision
        /// The sequence under which the peer announced the revision; nil if the message has none.
        let sequence: RemoteSequence?
        /// The number of bytes that the connection counts for the request until it is answered; 0 if it expects no
        /// reply.
        let unansweredByteCount: Int
        /// The memory that the revision uses on its way to the database.
        let bytes: ReceivedByteCounts

        /// The memory that the revision uses while it waits for a message of the peer: for its attachments, or for an
        /// earlier revision of its document.
        var waitingBytes: ReceivedByteCounts {
            ReceivedByteCounts(
                incomplete: bytes.queued, incompleteUnanswered: unansweredByteCount,
                uncounted: bytes.queued - unansweredByteCount)
        }

        /// The memory for a request in the tables of the session, in bytes, in addition to the request's own bytes.
        package static let overhead = 512

        /// Creates an item without the parts of the request that aren't needed once the revision is parsed.
        init(_ request: BLIPRequest, _ message: RevisionRequest, history: [Version]) {
            self.request = BLIPRequest(number: request.number, properties: [:], body: [], flags: request.flags)
            revision = IncomingRevision(
                documentID: message.documentID, version: message.version, history: history,
                isDeleted: message.isDeleted, isConflictRefused: message.isConflictRefused, body: message.body)
            revision.deltaSource = message.deltaSource
            // Of the peers only a Sync Gateway names the type of the body.
            revision.namesOwnTreeID = request.properties["Content-Type"] != nil
            sequence = message.sequence
            let byteCount = request.properties.byteCount + request.body.count + Self.overhead
            let historyByteCount = history.count * 64
            unansweredByteCount = request.wantsReply ? byteCount : 0
            bytes = ReceivedByteCounts(
                queued: byteCount + historyByteCount, uncounted: byteCount - unansweredByteCount + historyByteCount)
            assert(unansweredByteCount <= bytes.queued, "what is counted twice is subtracted once")
        }
    }

    /// The outcome of a received revision.
    enum Outcome: Sendable, Equatable {
        case stored(Item, RevisionOutcome)
        case failed(Item, SessionError)
        /// The revision came as a delta that couldn't be applied, so the peer sends the whole body.
        case wantedWhole(Item)
    }

    let collection: Int
    let wireCollection: Int?
    private let limits: SessionLimits
    private var waiting: [Item] = []
    private var waitingBytes = ReceivedByteCounts()
    private var inserting: [TaskID: [Item]] = [:]
    private var insertingBytes = ReceivedByteCounts()
    private var incomplete = PendingRevisions()
    /// The memory of the revisions that wait, outside this value, for an earlier revision of their document.
    private var heldBackBytes = ReceivedByteCounts()
    private var fetches: [TaskID: (key: UInt64, digest: BlobDigest)] = [:]
    /// The numbers of the unanswered requests for whose revisions attachments were fetched. (The same revision may be
    /// sent in two requests.)
    private var refetched: Set<UInt64> = []
    /// The attachments whose content the peer has sent in this session.
    private var given = GivenAttachments()
    /// The time at which waiting revisions are to be inserted; nil if none wait for it.
    private(set) var deadline: Moment?
    /// The outcomes of the step so far.
    private var outcomes: [Outcome] = []
    /// A Boolean value that says whether this side takes deltas.
    private let usesDeltas: Bool
    private var deltas = DeltaTally()
    /// The value of `takesDeltas` in the last reply that contained it; nil if none did.
    private var announced: Bool?

    init(collection: Int, wireCollection: Int?, limits: SessionLimits, usesDeltas: Bool) {
        self.usesDeltas = usesDeltas
        self.collection = collection
        self.wireCollection = wireCollection
        self.limits = limits
        attachmentWaitLimit = limits.heldByteCount
    }

    /// The number of bytes of revisions that wait for messages of the peer above which further revisions are refused.
    var attachmentWaitLimit: Int
    /// The number of bytes of revisions that wait for messages of the peer: for attachments, or for an earlier revision
    /// of their document.
    var heldByteCount: Int { incomplete.bytes.incomplete + heldBackBytes.incomplete }
    /// The memory of all received revisions that aren't finished, in bytes.
    var bytes: ReceivedByteCounts {
        var all = waitingBytes
        all.backlog = inserting.isEmpty ? 0 : waitingBytes.queued
        all += insertingBytes
        all += incomplete.bytes
        all += heldBackBytes
        all.uncounted += given.heldByteCount
        return all
    }
    /// The error for a further revision if too many bytes of revisions wait for attachments already; nil if there is
    /// room.
    var refusal: BLIPErrorReply? {
        guard heldByteCount > attachmentWaitLimit else { return nil }
        return BLIPErrorReply(code: 503, message: "too many documents wait for their attachments")
    }
    var isBusy: Bool { !waiting.isEmpty || !inserting.isEmpty || !incomplete.isEmpty }

    /// Processes a received revision.
    mutating func receive(_ item: Item, at now: Moment, _ actions: inout SessionActions) {
        if item.revision.deltaSource != nil, !takesDeltas {
            deltas.refused()
            actions.refuse(item.request, .wholeBodyWanted)
            return
        }
        enqueue(item)
        if deadline == nil { deadline = now.advanced(by: limits.insertionDelay) }
        if waiting.count >= limits.insertedRevisions || waitingBytes.queued >= limits.insertedByteCount {
            insert(&actions)
        }
    }

    /// A Boolean value that says whether this side takes deltas from the peer.
    var takesDeltas: Bool { usesDeltas && !deltas.isGivenUp }

    /// Returns what the next reply to a list says about deltas: nil if that is what the peer was told last.
    mutating func announceDeltas() -> Bool? {
        guard usesDeltas, announced != takesDeltas else { return nil }
        announced = takesDeltas
        return announced
    }

    /// Removes and returns what was counted of deltas since the last call.
    mutating func takeDeltaCounts() -> DeltaCounts { deltas.take() }

    /// Counts the memory of a received revision that waits for an earlier revision of its document.
    mutating func hold(_ item: Item) { heldBackBytes += item.waitingBytes }

    /// Inserts revisions that waited for earlier revisions of their documents, which have ended.
    mutating func resume(_ items: [Item], _ actions: inout SessionActions) {
        guard !items.isEmpty else { return }
        for item in items {
            heldBackBytes -= item.waitingBytes
            assert(heldBackBytes.incomplete >= 0, "what is held back is released once")
            enqueue(item)
        }
        insert(&actions)
    }

    private mutating func enqueue(_ item: Item) {
        waiting.append(item)
        waitingBytes += item.bytes
    }

    /// Inserts the waiting revisions if the time for their batch has come.
    mutating func wake(at now: Moment, _ actions: inout SessionActions) {
        if let deadline, deadline <= now { insert(&actions) }
    }

    /// Inserts the waiting revisions, unless an insertion is in progress: a second one would merely wait in the
    /// database.
    mutating func insert(_ actions: inout SessionActions) {
        deadline = nil
        guard !waiting.isEmpty, inserting.isEmpty else { return }
        assert(insertingBytes == ReceivedByteCounts(), "one insertion is under way")
        let items = Array(waiting.prefix(limits.insertedRevisions))
        waiting.removeFirst(items.count)
        for item in items { insertingBytes += item.bytes }
        waitingBytes -= insertingBytes
        assert(!waiting.isEmpty || waitingBytes == ReceivedByteCounts(), "each byte is counted once")
        inserting[actions.store(.insert(items.map(\.revision), given: given), collection: collection)] = items
    }

    /// Processes the result of a requested task, and returns the outcomes of the revisions that ended with it.
    mutating func finished(_ task: TaskID, _ result: TaskResult, _ actions: inout SessionActions) -> [Outcome] {
        defer { outcomes = [] }
        if let items = inserting.removeValue(forKey: task) {
            insertingBytes = ReceivedByteCounts()
            switch result {
            case .store(.inserted(let results)):
                for (item, result) in zip(items, results) { inserted(item, result, &actions) }
            case .store(.failed(let failure)):
                for item in items {
                    actions.refuse(item.request, failure.reply)
                    outcomes.append(.failed(item, SessionError(failure)))
                }
            default: break
            }
            // Revisions that arrived meanwhile have waited long enough.
            insert(&actions)
        } else if let fetch = fetches.removeValue(forKey: task), case .attachment(let result) = result {
            fetched(fetch.key, fetch.digest, result, &actions)
        }
        return outcomes
    }

    private mutating func inserted(_ item: Item, _ result: RevisionOutcome, _ actions: inout SessionActions) {
        switch result {
        case .inserted, .resurrected, .conflict, .accessRemoved: actions.reply(to: item.request)
        case .known: actions.reply(to: item.request, BLIPOutgoing(["noop": "true"]))
        case .conflictRefused: actions.refuse(item.request, BLIPErrorReply(code: 409, message: "conflict"))
        case .refused(let status, let reason):
            actions.refuse(item.request, BLIPErrorReply(code: status, message: reason))
        case .aheadOfClock(let reason):
            // Not 503, after which a peer would offer the same document again and again.
            actions.refuse(item.request, BLIPErrorReply(code: 400, message: reason))
        case .needsAttachments(let needs):
            fetch(needs, for: item, &actions)
            return
        case .deltaRefused(let reason):
            deltas.refused()
            var event = DocumentEvent(
                collection: collection, documentID: item.revision.documentID, isPush: false)
            event.deltaRefusal = reason
            actions.report(event)
            if !refetched.isEmpty { refetched.remove(item.request.number) }
            actions.refuse(item.request, .wholeBodyWanted)
            outcomes.append(.wantedWhole(item))
            return
        }
        if !refetched.isEmpty { refetched.remove(item.request.number) }
        if item.revision.deltaSource != nil, result.isStored {
            deltas.received()
        }
        outcomes.append(.stored(item, result))
    }

    private mutating func fetch(_ needs: [AttachmentNeed], for item: Item, _ actions: inout SessionActions) {
        // If the database requests attachments again that were fetched already, fetching them once more wouldn't help.
        guard !needs.isEmpty, refetched.insert(item.request.number).inserted else {
            let error = BLIPErrorReply(
                code: 500, message: "the receiver still lacks an attachment of the document after it was fetched")
            return fail(item, error, .storage, &actions)
        }
        guard needs.count <= limits.neededAttachments else {
            let reason = "the document needs more than \(limits.neededAttachments) attachments at once"
            return fail(item, BLIPErrorReply(code: 413, message: reason), .http(413), &actions)
        }
        // A whole batch may need attachments, which wasn't known when it was received.
        if let refusal { return fail(item, refusal, .http(refusal.code), &actions) }
        incomplete.add(item, needs)
        startFetches(&actions)
    }

    private mutating func startFetches(_ actions: inout SessionActions) {
        while fetches.count < limits.fetchedAttachments, let (key, need) = incomplete.popFirst() {
            guard let item = incomplete.item(key) else { continue }
            let request = GetAttachmentRequest(
                digest: need.digest, documentID: item.revision.documentID, isCompressible: need.isCompressible,
                collection: wireCollection)
            fetches[actions.fetch(request, byteCount: need.byteCount, collection: collection)] = (key, need.digest)
        }
    }

    private mutating func fetched(
        _ key: UInt64, _ digest: BlobDigest, _ result: AttachmentResult, _ actions: inout SessionActions
    ) {
        defer { startFetches(&actions) }
        if result == .stored {
            assert(deadline == nil || !waiting.isEmpty, "only waiting revisions have a deadline")
            given.insert(digest)
            let complete = incomplete.stored(digest)
            for item in complete { enqueue(item) }
            if !complete.isEmpty { insert(&actions) }
            return
        }
        // Another revision's fetch of the same content may have succeeded.
        guard let item = incomplete.remove(key) else { return }
        switch result {
        case .stored: break
        case .refused(let error):
            // After a transient error, such as that of an overloaded peer, the document is asked for again.
            let failure = SessionError(error, during: "the request for an attachment")
            fail(item, error, failure.code, because: failure.reason, &actions)
        case .corrupt:
            let error = BLIPErrorReply(
                code: 400, message: "the content of an attachment doesn't match its digest or its length")
            fail(item, error, .corruptAttachment, &actions)
        case .failed(let failure):
            refetched.remove(item.request.number)
            actions.refuse(item.request, failure.reply)
            outcomes.append(.failed(item, SessionError(failure)))
        }
    }

    private mutating func fail(
        _ item: Item, _ reply: BLIPErrorReply, _ code: SessionError.Code, because reason: String? = nil,
        _ actions: inout SessionActions
    ) {
        refetched.remove(item.request.number)
        actions.refuse(item.request, reply)
        let shown = reason ?? ForeignText.shown(reply.message, byteLimit: 500)
        outcomes.append(.failed(item, SessionError(code, "the document was not stored: \(shown)")))
    }
}

/// The received revisions that wait for attachments, and the attachments to fetch for them, in order.
///
/// If a revision is removed, the attachments that only it needs are removed too, so that only wanted attachments use
/// memory. The time of a step doesn't depend on the number of queued attachments.
struct PendingRevisions: Sendable {
    /// The memory for an attachment in the tables of this value, in bytes, in addition to the body that contains its
    /// digest.
    static let needByteCount = 320

    private struct Entry: Sendable {
        var item: RevisionReceiver.Item
        var missing: Set<BlobDigest>
        let needs: [AttachmentNeed]
        /// The index of the first element of `needs` that is still to be fetched.
        var next = 0

        var bytes: ReceivedByteCounts {
            let byteCount = item.bytes.queued + needs.count * PendingRevisions.needByteCount
            return ReceivedByteCounts(
                incomplete: byteCount, incompleteUnanswered: item.unansweredByteCount,
                uncounted: byteCount - item.unansweredByteCount)
        }
    }

    /// The waiting revisions by their keys, which are counted from 1 in the order of arrival.
    private var entries: [UInt64: Entry] = [:]
    /// The keys, in `entries`, of the revisions that lack an attachment, by the attachment's digest.
    private var waiting: [BlobDigest: [UInt64]] = [:]
    /// The keys of the revisions for which attachments are still to be fetched, oldest first.
    private var order = Queue<UInt64>()
    private var lastKey: UInt64 = 0

    /// The memory that the waiting revisions use, with their tables.
    private(set) var bytes = ReceivedByteCounts()

    var isEmpty: Bool { entries.isEmpty }

    /// Returns the waiting revision with a key; nil if it was removed.
    func item(_ key: UInt64) -> RevisionReceiver.Item? { entries[key]?.item }

    /// Adds a revision that needs at least one attachment.
    mutating func add(_ item: RevisionReceiver.Item, _ needs: [AttachmentNeed]) {
        assert(!needs.isEmpty, "a revision waits for something")
        var missing: Set<BlobDigest> = []
        let needs = needs.filter { missing.insert($0.digest).inserted }
        lastKey += 1
        for need in needs { waiting[need.digest, default: []].append(lastKey) }
        let entry = Entry(item: item, missing: missing, needs: needs)
        assert(entries[lastKey] == nil && entry.missing.count == entry.needs.count, "each attachment is needed once")
        entries[lastKey] = entry
        order.append(lastKey)
        bytes += entry.bytes
    }

    /// Removes and returns the next attachment to fetch, with the key of the revision that needs it; nil if there is
    /// none.
    mutating func popFirst() -> (key: UInt64, need: AttachmentNeed)? {
        while let key = order.first {
            while let next = entries[key]?.next, let need = entries[key]?.needs[next...].first {
                entries[key]?.next = next + 1
                // The attachment may have been stored for another revision meanwhile.
                if entries[key]?.missing.contains(need.digest) == true { return (key, need) }
            }
            _ = order.popFirst()
        }
        return nil
    }

    /// Records that an attachment is stored, and removes and returns the revisions that lack no other, oldest first.
    mutating func stored(_ digest: BlobDigest) -> [RevisionReceiver.Item] {
        var complete: [RevisionReceiver.Item] = []
        for key in waiting.removeValue(forKey: digest) ?? [] {
            guard entries[key]?.missing.remove(digest) != nil else { continue }
            entries[key]?.item.revision.given.insert(digest)
            if entries[key]?.missing.isEmpty == true, let item = remove(key) { complete.append(item) }
        }
        return complete
    }

    /// Removes and returns a revision, with the attachments that it waits for; nil if it was removed already.
    mutating func remove(_ key: UInt64) -> RevisionReceiver.Item? {
        guard let entry = entries.removeValue(forKey: key) else { return nil }
        bytes -= entry.bytes
        for digest in entry.missing {
            waiting[digest]?.removeAll { $0 == key }
            if waiting[digest]?.isEmpty == true { waiting[digest] = nil }
        }
        assert(
            !entries.isEmpty || waiting.isEmpty && bytes == ReceivedByteCounts(),
            "what nothing waits for uses no memory")
        return entry.item
    }
}

extension BLIPErrorReply {
    /// The reply to a delta that isn't applied, whatever the reason: the reason would tell the peer about documents that
    /// it may not have.
    fileprivate static let wholeBodyWanted = BLIPErrorReply(
        code: 422, message: "the delta can't be applied: send the whole revision")
}

extension RevisionOutcome {
    /// A Boolean value that says whether the revision is stored.
    fileprivate var isStored: Bool {
        switch self {
        case .inserted, .resurrected, .known, .conflict: true
        default: false
        }
    }
}
