internal import SealiteJSON
internal import SealiteRevisions

/// Stores the revisions that the peer of a pusher refused, and loads the refusals of earlier sessions.
struct RefusalLog: Sendable {
    /// The consequence of a result, for the pusher.
    enum Outcome: Sendable {
        /// The refusals of these changes were stored, as far as the limit permits. `overflow` is the greatest sequence
        /// of those that weren't; nil if all were stored.
        case recorded([LocalChange], overflow: UInt64?)
        case failed(StoreFailure)
        case other
    }

    /// The maximum number of refused changes that a session offers again.
    static let loadedLimit = 10_000

    let collection: Int
    /// A Boolean value that says whether the changes that were refused earlier are offered again.
    private let isRetrying: Bool
    private var loading: TaskID?
    /// The changes that were refused in earlier sessions and are still to be offered again.
    private(set) var loaded: ArraySlice<LocalChange> = []
    /// The documents whose refusal was loaded from the database or added in this session, and hasn't been settled
    /// since.
    private var remembered: Set<ExactText> = []
    private var added: [(change: LocalChange, refusal: Refusal)] = []
    private var recording: (task: TaskID, changes: [LocalChange])?
    private var settled: Set<ExactText> = []
    private var forgetting: TaskID?

    init(collection: Int, isRetrying: Bool) {
        self.collection = collection
        self.isRetrying = isRetrying
    }

    var isLoading: Bool { loading != nil }

    var isBusy: Bool {
        isLoading || !loaded.isEmpty || !added.isEmpty || recording != nil || !settled.isEmpty || forgetting != nil
    }

    func owns(_ task: TaskID) -> Bool { task == loading || task == recording?.task || task == forgetting }

    /// Loads earlier refusals from the database, if they are to be offered again.
    mutating func load(_ scan: ChangeScan, _ actions: inout SessionActions) {
        if isRetrying { loading = actions.store(.loadRefused(scan), collection: collection) }
    }

    /// Adds a refusal, which `proceed` stores.
    mutating func add(_ change: LocalChange, _ error: SessionError) {
        added.append((change, Refusal(change, error)))
        remembered.insert(change.key)
        settled.remove(change.key)
    }

    /// Records that a change needs no more work, so that a stored refusal of its document is removed.
    mutating func settle(_ change: LocalChange) {
        if !remembered.isEmpty, remembered.remove(change.key) != nil { settled.insert(change.key) }
    }

    /// Returns whether the document of a change has a refusal that isn't settled, of this session or an earlier one.
    func remembers(_ change: LocalChange) -> Bool { remembered.contains(change.key) }

    /// Removes and returns the next changes, at most `count`, that were refused in earlier sessions.
    mutating func take(_ count: Int) -> ArraySlice<LocalChange> {
        defer { loaded = loaded.dropFirst(count) }
        return loaded.prefix(count)
    }

    /// Requests that the database store the added refusals, and then that it remove those of changes that need no more
    /// work.
    mutating func proceed(_ actions: inout SessionActions) {
        if recording == nil, !added.isEmpty {
            let request = StoreRequest.recordRefusals(added.map(\.refusal))
            recording = (actions.store(request, collection: collection), added.map(\.change))
            added = []
        }
        if forgetting == nil, recording == nil, !settled.isEmpty {
            forgetting = actions.store(.forgetRefusals(settled.map(\.text)), collection: collection)
            settled = []
        }
    }

    /// Processes the result of a requested task, and returns its consequence for the pusher. `completed` has the local
    /// sequences that the checkpoint says to be completed.
    mutating func finished(_ task: TaskID, _ result: TaskResult, _ completed: SequenceSet) -> Outcome {
        let changes = task == recording?.task ? recording?.changes ?? [] : []
        let wasLoading = task == loading
        if wasLoading { loading = nil } else if task == forgetting { forgetting = nil } else { recording = nil }
        switch result {
        case .store(.failed(let failure)): return .failed(failure)
        case .store(.refusalsRecorded(let overflow)): return .recorded(changes, overflow: overflow)
        case .store(.changes(let page)) where wasLoading:
            remembered.formUnion(page.changes.map(\.key))
            // Changes whose sequences aren't completed are left out, because the scan finds them.
            loaded = page.changes.filter { completed.contains($0.sequence) }[...]
            return .other
        default: return .other
        }
    }
}
