import SealiteRevisions
import Testing

@testable import SealiteProtocol
@testable import SealiteProtocolTestSupport

/// A puller whose peer and database are played by hand.
struct DrivenPuller {
    var puller: Puller
    private var actions = SessionActions()
    private var lastNumber: UInt64 = 0
    private(set) var events: [Puller.Event] = []
    let start = ContinuousClock.now

    init(
        limits: SessionLimits = SessionLimits(), documentIDs: [String]? = nil, isAutoPurging: Bool = true,
        unstoredIDs: [String] = [], isSecondAttempt: Bool = false
    ) {
        var configuration = SessionConfiguration.one(push: false)
        configuration.limits = limits
        configuration.isAutoPurging = isAutoPurging
        configuration.collections[0].documentIDs = documentIDs
        configuration.collections[0].unstoredIDs = unstoredIDs
        configuration.collections[0].isSecondAttempt = isSecondAttempt
        puller = Puller(configuration, collection: 0, isLegacy: true)
    }

    /// The sequence through which all is pulled, by the events so far.
    var checkpoint: String? {
        events.reduce(nil) { if case .advanced(let sequence) = $1 { sequence?.json } else { $0 } }
    }

    var failures: [SessionError.Code] {
        events.compactMap { if case .failed(let error) = $0 { error.code } else { nil } }
    }

    mutating func begin(since: UInt64? = nil, reofferedThrough: UInt64? = nil) -> [SessionAction] {
        var checkpoint = Checkpoint()
        checkpoint.remote = since.map { RemoteSequence($0) }
        checkpoint.reofferedThrough = reofferedThrough
        puller.begin(checkpoint, &actions)
        return actions.takeActions()
    }

    /// Receives a list with the JSON of its rows.
    mutating func announce(_ json: String) throws -> [SessionAction] {
        let request = request(["Profile": "changes"], json)
        let message = try ChangesRequest(request, limits: MessageLimits())
        events += puller.receiveChanges(request, message, &actions)
        return actions.takeActions()
    }

    mutating func receive(_ properties: BLIPProperties, _ body: String = "{}") -> [SessionAction] {
        events += puller.receiveRevision(request(properties, body), at: start, &actions)
        return actions.takeActions()
    }

    mutating func receiveNone(_ properties: BLIPProperties) -> [SessionAction] {
        events += puller.receiveNoRevision(request(properties, ""), &actions)
        return actions.takeActions()
    }

    mutating func reject(_ properties: BLIPProperties, _ error: BLIPError) -> [SessionAction] {
        events += puller.rejectRevision(request(properties, ""), error, &actions)
        return actions.takeActions()
    }

    mutating func finish(_ task: TaskID, _ result: TaskResult) -> [SessionAction] {
        events += puller.finished(task, result, &actions)
        return actions.takeActions()
    }

    mutating func wake() -> [SessionAction] {
        puller.wake(at: start.advanced(by: .seconds(1)), &actions)
        return actions.takeActions()
    }

    /// Announces rows, of which the database wants each.
    mutating func want(_ json: String, count: Int) throws -> [SessionAction] {
        let compare = try #require(announce(json).stores.first)
        let verdicts = [AnnouncementDecision](repeating: .wanted(ancestors: []), count: count)
        return finish(compare.task, .store(.compared(verdicts)))
    }

    /// Receives a revision and inserts it.
    mutating func pull(_ sequence: Int, _ outcome: RevisionOutcome = .inserted) throws -> [SessionAction] {
        _ = receive(["id": "\(sequence)", "rev": "1-aa", "sequence": "\(sequence)"])
        let insertion = try #require(wake().stores.first)
        return finish(insertion.task, .store(.inserted([outcome])))
    }

    /// Stores the refusals that actions ask to be recorded, but those at the positions `left`, and returns them.
    mutating func record(_ actions: [SessionAction], left: [Int] = []) -> [Refusal] {
        for store in actions.stores {
            guard case .recordRefusals(let refusals) = store.request else { continue }
            _ = finish(store.task, .store(.refusalsRecorded(left: left)))
            return refusals
        }
        return []
    }

    private mutating func request(_ properties: BLIPProperties, _ body: String) -> BLIPRequest {
        lastNumber += 1
        return BLIPRequest(number: lastNumber, properties: properties, body: Array(body.utf8))
    }
}

/// The documents whose refusals actions ask to be removed.
func forgotten(_ actions: [SessionAction]) -> [String] {
    actions.stores.flatMap { store -> [String] in
        if case .forgetRefusals(let ids, .local) = store.request { ids.sorted() } else { [] }
    }
}
