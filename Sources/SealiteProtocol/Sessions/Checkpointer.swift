/// Manages the replication checkpoint of one collection: reads both copies, determines the common starting point, and
/// saves progress, first at the remote, then locally.
struct Checkpointer: Sendable {
    /// A consequence of a result, for the session.
    enum Event: Sendable, Equatable {
        /// Both copies were read, and `checkpoint` is now the common starting point.
        case ready
        /// The session ends with this error.
        case failed(SessionError)
        /// The remote refused to store the checkpoint. A later session compares the replicated documents again.
        case notSaved(SessionError)
    }

    private enum Step: Sendable {
        case loadingLocal, loadingRemote, savingRemote, refreshingRevision, savingLocal
        case loadingPrevious, loadingPreviousRemote, startingNewSource, savingMark(time: UInt64)
    }

    let id: String
    /// The collection's index in the session.
    let collection: Int
    /// The collection's index in messages; nil if the peer doesn't support named collections.
    let wireCollection: Int?
    private let isReset: Bool
    /// A Boolean value that says whether the session has no checkpoint: it begins at the beginning, and saves nothing.
    private let isWithoutCheckpoint: Bool
    /// The directions of the session. The checkpoint may be shared with sessions of other directions, whose part stays
    /// as it is.
    private let (isPush, isPull): (Bool, Bool)
    /// The collection's last local sequence when the session began: up to it, documents are offered again after a reset
    /// or if the remote's copy was lost.
    private let lastSequence: UInt64
    private let interval: Duration
    private let limits: MessageLimits

    /// The progress of the replication, including that of this session.
    private(set) var checkpoint = Checkpoint()
    private(set) var isReady = false
    /// A Boolean value that says whether a checkpoint was saved at both sides in this session.
    private(set) var hasSaved = false
    /// A Boolean value that says whether the remote's copy was missing or showed less progress than the local one.
    /// False if there is no local copy, and in a reset that pushes, which offers everything again anyway.
    private(set) var wasLost = false
    /// A Boolean value that says whether the database got a new source id, because its file had been replaced by an older
    /// copy of itself.
    private(set) var hasNewSource = false
    /// The time at which the latest changes of the checkpoint are to be saved; nil if `update` has changed nothing since
    /// the last save began. A starting point that differs from the local copy is saved without a time.
    private var due: Moment?
    private var steps: [TaskID: Step] = [:]
    private var local: Checkpoint?
    private var remote: Checkpoint?
    private var remoteRevision = ""
    private var isDirty = false
    private var body: [UInt8] = []
    private var refreshCount = 0
    /// In a copied database, the name of the original's checkpoint; nil otherwise.
    private let previousID: String?
    private var isPrevious = false
    /// The source id of the versions that the database writes; nil for a database of revision trees, whose checkpoints
    /// have no marks.
    private(set) var source: String?
    private let token: String
    /// The marks of the two copies, as they were read. The local ones are updated by each save.
    private var localMarks = CheckpointMarks()
    private var remoteMarks = CheckpointMarks()
    /// The progress that is stored locally.
    private var stored = Checkpoint()
    private var saving = Checkpoint()

    init(_ configuration: SessionConfiguration, collection: Int, isLegacy: Bool) {
        id = configuration.collections[collection].checkpointID
        previousID = configuration.collections[collection].previousCheckpointID
        self.collection = collection
        wireCollection = isLegacy ? nil : collection
        isReset = configuration.isReset
        isWithoutCheckpoint = configuration.collections[collection].isSecondAttempt
        let own = configuration.collections[collection]
        (isPush, isPull) = (own.isPush, own.isPull)
        (source, token) = (configuration.source, configuration.saveToken)
        lastSequence = own.lastSequence
        interval = configuration.checkpointInterval
        limits = configuration.limits.messages
    }

    /// The time at which a changed checkpoint is to be saved; nil also while another one is being saved.
    var deadline: Moment? { steps.isEmpty ? due : nil }

    /// A Boolean value that says whether all progress is saved.
    var isSaved: Bool { !isDirty && steps.isEmpty }

    /// Begins to read the checkpoint's two copies, the local one and the remote's. In a session with collections the
    /// remote's copy is `known` already, from the reply to `getCollections`.
    ///
    /// - Returns: `ready` if the session has no checkpoint; otherwise nil.
    mutating func begin(_ known: GetCollectionsReply.Item?, _ actions: inout SessionActions) -> Event? {
        assert(steps.isEmpty && !isReady, "a checkpoint is read once")
        if isWithoutCheckpoint {
            isReady = true
            return .ready
        }
        steps[actions.store(.loadCheckpoint(id: id), collection: collection)] = .loadingLocal
        switch known {
        case .checkpoint(let body, let revision)?:
            remote = Checkpoint(copy: body, limits: limits)
            remoteMarks = CheckpointMarks(json: body, limits: limits)
            remoteRevision = revision ?? ""
        case .missing?, .withoutCheckpoint?: break
        case nil: steps[actions.send(request)] = .loadingRemote
        }
        return nil
    }

    private var request: BLIPOutgoing { GetCheckpointRequest(client: id, collection: wireCollection).message }

    /// Changes the checkpoint. It is saved at `deadline`, or earlier if the session becomes idle.
    mutating func update(at now: Moment, _ change: (inout Checkpoint) -> Void) {
        let before = checkpoint
        change(&checkpoint)
        if let end = checkpoint.reofferedThrough, checkpoint.completed.contiguousThrough >= end {
            checkpoint.reofferedThrough = nil
        }
        guard checkpoint != before, !isWithoutCheckpoint else { return }
        isDirty = true
        if due == nil { due = now.advanced(by: interval) }
    }

    /// Saves a changed checkpoint now, unless a save is in progress.
    mutating func save(time: UInt64, _ actions: inout SessionActions) {
        guard isReady, isDirty, steps.isEmpty else { return }
        assert(!isWithoutCheckpoint, "a session without a checkpoint saves none")
        isDirty = false
        due = nil
        refreshCount = 0
        saving = checkpoint
        // A copied database has its original's progress, and nothing under its own name, until its first save.
        guard let marks = nextMarks, !isPrevious || hasSaved else { return saveRemote(time: time, &actions) }
        let request = StoreRequest.saveCheckpoint(id: id, body: stored.json(time: time, marks))
        steps[actions.store(request, collection: collection)] = .savingMark(time: time)
    }

    /// The marks with that of the next save; nil for a database of revision trees.
    private var nextMarks: CheckpointMarks? {
        source.map { localMarks.next(after: remoteMarks, token: token, source: $0) }
    }

    private mutating func saveRemote(time: UInt64, _ actions: inout SessionActions) {
        localMarks = nextMarks ?? localMarks
        body = saving.json(time: time, localMarks)
        saveRemote(&actions)
    }

    /// Records that the database writes its versions with another source id from now on.
    mutating func changeSource(to source: String) {
        assert(self.source != nil, "only versions of vectors have a source")
        self.source = source
    }

    private mutating func saveRemote(_ actions: inout SessionActions) {
        assert(isReady && !body.isEmpty, "a checkpoint is saved once it was read")
        assert(steps.isEmpty, "one save is under way")
        let request = SetCheckpointRequest(
            client: id, revision: remoteRevision, body: body, collection: wireCollection)
        steps[actions.send(request.message)] = .savingRemote
    }

    /// Processes the result of a requested task, and returns its consequence for the session; nil if there is none.
    mutating func finished(_ task: TaskID, _ result: TaskResult, _ actions: inout SessionActions) -> Event? {
        switch (steps.removeValue(forKey: task), result) {
        case (.loadingLocal, .store(.checkpoint(let body))):
            local = body.flatMap { Checkpoint(copy: $0, limits: limits) }
            if let body { localMarks = CheckpointMarks(json: body, limits: limits) }
            stored = local ?? Checkpoint()
            if local == nil, let previousID, !isReset {
                steps[actions.store(.loadCheckpoint(id: previousID), collection: collection)] = .loadingPrevious
            }
            return becomeReady(&actions)
        case (.loadingPrevious, .store(.checkpoint(let body))):
            takePrevious(body, &actions)
            return becomeReady(&actions)
        case (.loadingPreviousRemote, .reply(let reply)):
            remote = reply.error == nil ? Checkpoint(copy: reply.body, limits: limits) : nil
            return becomeReady(&actions)
        case (.loadingRemote, .reply(let reply)):
            if let error = reply.error {
                guard error.code == 404 else { return .failed(SessionError(error, during: "getCheckpoint")) }
            } else {
                take(reply)
            }
            return becomeReady(&actions)
        case (.startingNewSource, .store(.newSource(let new))):
            (source, hasNewSource) = (new, true)
            return becomeReady(&actions)
        case (.savingMark(let time), .store(.done)):
            saveRemote(time: time, &actions)
            return nil
        case (.savingRemote, .reply(let reply)): return savedRemote(reply, &actions)
        case (.refreshingRevision, .reply(let reply)):
            remoteRevision = reply.error == nil ? reply.properties["rev"] ?? "" : ""
            saveRemote(&actions)
            return nil
        case (.savingLocal, .store(.done)):
            hasSaved = true
            stored = saving
            return nil
        case (_, .store(.failed(let failure))): return .failed(SessionError(failure))
        default: return nil
        }
    }

    private mutating func take(_ reply: BLIPReply) {
        remote = Checkpoint(copy: reply.body, limits: limits)
        remoteMarks = CheckpointMarks(json: reply.body, limits: limits)
        remoteRevision = reply.properties["rev"] ?? ""
    }

    /// Processes the local checkpoint that a copied database has inherited from its original: the remote's copy of it
    /// is requested too. The common progress is saved again under this database's own name.
    private mutating func takePrevious(_ body: [UInt8]?, _ actions: inout SessionActions) {
        guard let previousID, let found = body.flatMap({ Checkpoint(copy: $0, limits: limits) }) else { return }
        (local, isPrevious) = (found, true)
        let request = GetCheckpointRequest(client: previousID, collection: wireCollection)
        steps[actions.send(request.message)] = .loadingPreviousRemote
    }

    private mutating func becomeReady(_ actions: inout SessionActions) -> Event? {
        guard steps.isEmpty, !isReady else { return nil }
        if let source, !isPrevious, !hasNewSource, remoteMarks.areUnknown(to: localMarks, of: source) {
            steps[actions.store(.startNewSource(replacing: source), collection: collection)] = .startingNewSource
            return nil
        }
        isReady = true
        checkpoint = Checkpoint.reconciled(local: local, remote: remote)
        let isLost = local?.isLost(by: remote) ?? false
        // A reset that pushes offers everything again anyway.
        wasLost = isLost && !(isReset && isPush)
        if isReset, isPush { checkpoint.completed = SequenceSet() }
        if isReset, isPull { checkpoint.remote = nil }
        // Without pushing, the loss is recorded for the next session that pushes.
        if isReset && isPush || isLost, lastSequence > 0 { checkpoint.reofferedThrough = lastSequence }
        // A starting point that differs from the local copy is saved, and that of a reset in any case, so that later
        // sessions continue the reset without being told to.
        assert(!wasLost || local != nil, "only what was known can be lost")
        isDirty = isReset || local != nil && (checkpoint != local || isPrevious)
        return .ready
    }

    private mutating func savedRemote(_ reply: BLIPReply, _ actions: inout SessionActions) -> Event? {
        if let error = reply.error {
            // The checkpoint at the remote has another revision than the one read before, or has been removed since:
            // read it again and retry.
            if error.code == 409 || error.code == 404, refreshCount < 3 {
                refreshCount += 1
                steps[actions.send(request)] = .refreshingRevision
                return nil
            }
            return .notSaved(SessionError(error, during: "setCheckpoint"))
        }
        remoteRevision = reply.properties["rev"] ?? ""
        steps[actions.store(.saveCheckpoint(id: id, body: body), collection: collection)] = .savingLocal
        return nil
    }
}
