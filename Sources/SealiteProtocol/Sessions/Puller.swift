internal import SealiteJSON
internal import SealiteRevisions

/// Pulls one collection of the active side: asks for the peer's changes, says which revisions it wants, takes them, and
/// keeps account of the sequences that are finished.
struct Puller: Sendable {
    /// A consequence of a step.
    enum Event: Sendable, Equatable {
        /// All through a sequence is pulled.
        case advanced(RemoteSequence?)
        /// The peer is known to have a revision as its current one.
        case learned(documentID: String, Version)
        /// A conflict is stored, and told to the application.
        case conflicted(documentID: String)
        /// The session cannot go on.
        case failed(SessionError)
    }

    /// A revision that was asked for.
    struct Requested: Sendable {
        let entry: RemoteSequenceSet.Entry
        let version: Version
        let byteCount: UInt64
    }

    /// A row is found again by document and sequence, which stay the same when another revision replaces the announced.
    struct Key: Hashable, Sendable {
        let documentID: String
        let sequence: RemoteSequence

        init(documentID: String, sequence: RemoteSequence) {
            self.documentID = documentID
            self.sequence = sequence
        }

        init(_ item: RevisionReceiver.Item) {
            self.init(documentID: item.revision.documentID, sequence: item.sequence ?? RemoteSequence(0))
        }
    }

    /// A list whose rows are with the database.
    struct Comparing: Sendable {
        let request: BLIPRequest
        let rows: [ChangesRequest.Row]
        let entries: [RemoteSequenceSet.Entry]
        /// The revisions that were on their way when the rows were given to the database.
        let awaited: [Key: Requested]
        let documentIDs: Set<ExactText>
    }

    let collection: Int
    let wireCollection: Int?
    let configuration: SessionConfiguration
    let limits: SessionLimits
    var receiver: RevisionReceiver
    var progress = TransferProgress()
    var sequences = RemoteSequenceSet(since: nil)
    var subscribing: TaskID?
    var isCaughtUp = false
    var waitingLists: [(BLIPRequest, [ChangesRequest.Row])] = []
    var comparing: [TaskID: Comparing] = [:]
    /// The list whose documents of lost access are being purged. The rest of it, and what comes after, waits: who compares a
    /// document that is about to be purged finds it there.
    var removing: (task: TaskID, list: Comparing)?
    var requested: [Key: Requested] = [:]
    /// The only documents to pull, if the peer cannot be asked for them; nil is all.
    let documentFilter: Set<ExactText>?
    let isAutoPurging: Bool
    /// The error for which a revision was left to the next session.
    var leftError: SessionError?

    init(_ configuration: SessionConfiguration, collection: Int, isLegacy: Bool) {
        self.collection = collection
        wireCollection = isLegacy ? nil : collection
        self.configuration = configuration
        limits = configuration.limits
        let documentIDs = configuration.collections[collection].documentIDs
        documentFilter = documentIDs.map { Set($0.map(ExactText.init)) }
        // A list of documents says nothing of what else the user may see.
        isAutoPurging = configuration.isAutoPurging && documentIDs == nil
        receiver = RevisionReceiver(
            collection: collection, wireCollection: wireCollection, limits: configuration.limits)
    }

    /// A Boolean value that says whether something is under way, or the peer has not announced all.
    var isBusy: Bool {
        !isCaughtUp || subscribing != nil || !waitingLists.isEmpty || !comparing.isEmpty || removing != nil
            || !requested.isEmpty || receiver.isBusy
    }

    var deadline: Moment? { receiver.deadline }

    /// Asks for changes after the sequence through which all is pulled.
    mutating func begin(_ checkpoint: Checkpoint, _ effects: inout Effects) {
        let own = configuration.collections[collection]
        sequences = RemoteSequenceSet(since: checkpoint.remote)
        var request = SubChangesRequest(since: checkpoint.remote, collection: wireCollection)
        // Sync Gateway refuses a list of documents in a continuous subscription; those are filtered here.
        request.isContinuous = configuration.isContinuous
        request.batch = limits.changesPerList
        request.isActiveOnly = own.isEmpty && checkpoint.remote == nil
        request.channels = own.channels
        // Who purges nothing is told all the same.
        request.wantsRevocations = own.documentIDs == nil
        request.wantsReplacements = true
        request.versioning = SubChangesRequest.versioning(hasVectors: configuration.hasVectors)
        request.documentIDs = configuration.isContinuous ? nil : own.documentIDs
        subscribing = effects.send(request.message)
    }

    mutating func wake(at now: Moment, _ effects: inout Effects) { receiver.wake(at: now, &effects) }

    /// Takes the result of something that was asked for.
    mutating func finished(_ task: TaskID, _ result: TaskResult, _ effects: inout Effects) -> [Event] {
        var events: [Event] = []
        if task == subscribing, case .reply(let reply) = result {
            subscribing = nil
            if let error = reply.error { events.append(.failed(SessionError(error, during: "subChanges"))) }
        } else if let list = comparing.removeValue(forKey: task) {
            compared(list, result, &events, &effects)
        } else if let removing, removing.task == task {
            removed(removing.list, result, &events, &effects)
        } else {
            for outcome in receiver.finished(task, result, &effects) { ended(outcome, &events, &effects) }
        }
        return events + proceed(&effects)
    }

    mutating func finish(_ entry: RemoteSequenceSet.Entry, _ events: inout [Event]) {
        if sequences.finish(entry) { events.append(.advanced(sequences.checkpoint)) }
    }
}
