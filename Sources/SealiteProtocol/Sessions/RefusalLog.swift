internal import SealiteJSON
internal import SealiteRevisions

/// Stores what one side of a session refused, so that the checkpoint may pass it: the revisions that the peer of a
/// pusher refused, or those of the peer that a puller couldn't store. A refusal whose document needs no more work is
/// removed.
///
/// `Work` is what waits until a refusal is stored.
struct RefusalLog<Work: Sendable>: Sendable {
    /// The consequence of a result, for the pusher or puller.
    enum Outcome: Sendable {
        /// The refusals of `stored` are durable. Those of `left` exceed the limit and weren't stored.
        case recorded(stored: [Work], left: [Work])
        case failed(StoreFailure)
        case other
    }

    private let collection: Int
    private let side: Refusal.Side
    /// The documents whose refusal is stored or was added in this session, and hasn't been settled since.
    private var remembered: Set<ExactText> = []
    private var added: [(work: Work, refusal: Refusal)] = []
    private var recording: (task: TaskID, work: [Work])?
    private var settled: Set<ExactText> = []
    private var forgetting: TaskID?

    init(collection: Int, by side: Refusal.Side) { (self.collection, self.side) = (collection, side) }

    var isBusy: Bool { !added.isEmpty || recording != nil || !settled.isEmpty || forgetting != nil }

    func owns(_ task: TaskID) -> Bool { task == recording?.task || task == forgetting }

    /// Notes that refusals of these documents are stored.
    mutating func remember(_ documents: some Sequence<ExactText>) { remembered.formUnion(documents) }

    /// Adds a refusal, which `proceed` stores.
    mutating func add(_ refusal: Refusal, for work: Work) {
        let document = ExactText(refusal.documentID)
        added.append((work, refusal))
        remembered.insert(document)
        settled.remove(document)
    }

    /// Records that a document needs no more work, so that its stored refusal is removed.
    mutating func settle(_ document: ExactText) {
        if !remembered.isEmpty, remembered.remove(document) != nil { settled.insert(document) }
    }

    /// Returns whether a document has a refusal that isn't settled, of this session or an earlier one.
    func remembers(_ document: ExactText) -> Bool { remembered.contains(document) }

    /// Requests that the database store the added refusals, and then that it remove those of documents that need no
    /// more work.
    mutating func proceed(_ actions: inout SessionActions) {
        if recording == nil, !added.isEmpty {
            let request = StoreRequest.recordRefusals(added.map(\.refusal))
            assert(added.allSatisfy { $0.refusal.side == side }, "the log is that of one side")
            recording = (actions.store(request, collection: collection), added.map(\.work))
            added = []
        }
        if forgetting == nil, recording == nil, !settled.isEmpty {
            forgetting = actions.store(.forgetRefusals(settled.map(\.text), by: side), collection: collection)
            settled = []
        }
    }

    /// Processes the result of a requested task, and returns its consequence.
    mutating func finished(_ task: TaskID, _ result: TaskResult) -> Outcome {
        assert(owns(task), "the task is one of the log's")
        var work: [Work] = []
        if task == forgetting {
            forgetting = nil
        } else {
            work = recording?.work ?? []
            recording = nil
        }
        switch result {
        case .store(.failed(let failure)): return .failed(failure)
        case .store(.refusalsRecorded(let left)):
            assert(left.allSatisfy { work.indices.contains($0) }, "what is left is of this request")
            let left = Set(left)
            return .recorded(
                stored: work.indices.filter { !left.contains($0) }.map { work[$0] },
                left: work.indices.filter { left.contains($0) }.map { work[$0] })
        default: return .other
        }
    }
}

/// Loads the changes that the peer of a pusher refused in earlier sessions, to offer them again.
struct EarlierRefusals: Sendable {
    /// The maximum number of refused changes that a session offers again.
    static let limit = 10_000

    private var loading: TaskID?
    /// The changes that are still to be offered again.
    private(set) var changes: ArraySlice<LocalChange> = []

    var isLoading: Bool { loading != nil }
    var isBusy: Bool { isLoading || !changes.isEmpty }

    func owns(_ task: TaskID) -> Bool { task == loading }

    mutating func load(_ scan: ChangeScan, collection: Int, _ actions: inout SessionActions) {
        assert(loading == nil && changes.isEmpty, "refusals are loaded once")
        loading = actions.store(.loadRefused(scan), collection: collection)
    }

    /// Processes the loaded changes. Those whose sequences aren't `completed` are left out, because the scan finds
    /// them.
    ///
    /// - Returns: the documents of all loaded changes, or the failure to load them.
    mutating func finished(_ result: TaskResult, _ completed: SequenceSet) -> Result<[ExactText], StoreFailure> {
        loading = nil
        switch result {
        case .store(.failed(let failure)): return .failure(failure)
        case .store(.changes(let page)):
            changes = page.changes.filter { completed.contains($0.sequence) }[...]
            return .success(page.changes.map(\.key))
        default: return .success([])
        }
    }

    /// Removes and returns the next changes, at most `count`.
    mutating func take(_ count: Int) -> ArraySlice<LocalChange> {
        assert(count > 0 && !isLoading)
        defer { changes = changes.dropFirst(count) }
        return changes.prefix(count)
    }
}
