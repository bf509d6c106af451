internal import SealiteJSON
internal import SealiteRevisions

/// The revisions that were requested from the peer and aren't stored yet, by document and in the order of their
/// announcements.
///
/// The last announcement of a document names its newest state, which must be stored last. A revision is therefore held
/// back while an earlier requested one of its document is on its way or waits for attachments.
///
/// A peer's revision is taken only if `expects(_:_:)` returns true for it: whatever selects the documents of a
/// replication selects what is requested.
struct RequestedRevisions: Sendable {
    /// A requested revision. The document and the sequence of the announcement identify it; they stay the same when
    /// another revision replaces the announced one.
    struct Request: Sendable {
        let sequence: RemoteSequence
        let entry: RemoteSequenceSet.Entry
        let version: Version
        let byteCount: UInt64
        /// The revision, if it has been received and is held back.
        fileprivate var held: RevisionReceiver.Item?

        init(sequence: RemoteSequence, entry: RemoteSequenceSet.Entry, version: Version, byteCount: UInt64) {
            self.sequence = sequence
            self.entry = entry
            self.version = version
            self.byteCount = byteCount
        }
    }

    private var requests: [ExactText: [Request]] = [:]
    private var released: [RevisionReceiver.Item] = []
    /// The requests that have ended because this side refused the revision, which the peer may send once more.
    private var refused: Set<RefusedRequest> = []
    private(set) var count = 0
    /// The maximum number of refused requests that are remembered. If there are more, they are forgotten, and the
    /// documents are asked for again in a later session.
    static let refusedLimit = 2_000

    private struct RefusedRequest: Hashable {
        let document: ExactText
        let sequence: RemoteSequence
    }

    var isEmpty: Bool { requests.isEmpty }

    /// Returns whether a revision of a document is requested and not yet stored.
    func contains(_ document: ExactText) -> Bool { requests[document] != nil }

    /// Returns whether the peer may send a revision of a document under a sequence: it was requested and isn't stored yet,
    /// or this side has refused it in this session. Without a sequence, whether any revision of the document was
    /// requested.
    func expects(_ document: ExactText, _ sequence: RemoteSequence?) -> Bool {
        guard let sequence else { return contains(document) }
        return requests[document]?.contains { $0.sequence == sequence } ?? false
            || refused.contains(RefusedRequest(document: document, sequence: sequence))
    }

    /// Records that this side has refused the revision of a request.
    mutating func refuse(_ document: ExactText, _ sequence: RemoteSequence) {
        if refused.count >= Self.refusedLimit { refused = [] }
        refused.insert(RefusedRequest(document: document, sequence: sequence))
        assert(refused.count <= Self.refusedLimit)
    }

    /// Adds a request, which must be the last announced one of its document.
    mutating func add(_ request: Request, of document: ExactText) {
        assert(request.held == nil, "a request begins without its revision")
        requests[document, default: []].append(request)
        count += 1
    }

    /// Removes and returns the requests of a document for which `isEnded` returns true, and releases the revisions that
    /// were held back for them.
    mutating func remove(of document: ExactText, where isEnded: (Request) -> Bool) -> [Request] {
        guard var remaining = requests[document] else { return [] }
        let ended = remaining.filter(isEnded)
        remaining.removeAll(where: isEnded)
        count -= ended.count
        assert(count >= 0, "each request counts once")
        // A peer that ends a request whose revision it has sent contradicts itself; the revision is still answered.
        released += ended.compactMap(\.held)
        if let item = remaining.first?.held {
            remaining[0].held = nil
            released.append(item)
        }
        requests[document] = remaining.isEmpty ? nil : remaining
        return ended
    }

    /// Holds a received revision back if an earlier requested one of its document hasn't ended, and returns whether it
    /// does so. A revision that the peer sends once more isn't held back.
    mutating func hold(_ item: RevisionReceiver.Item) -> Bool {
        let document = ExactText(item.revision.documentID)
        guard let index = requests[document]?.firstIndex(where: { $0.sequence == item.sequence }), index > 0,
            requests[document]?[index].held == nil
        else { return false }
        assert(item.sequence != nil, "a revision is held back for its sequence")
        requests[document]?[index].held = item
        return true
    }

    /// Removes and returns the revisions that are held back no longer, in the order of their announcements.
    mutating func takeReleased() -> [RevisionReceiver.Item] {
        defer { released = [] }
        return released
    }
}
