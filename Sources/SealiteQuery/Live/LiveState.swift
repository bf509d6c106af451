internal import SealiteDatabase

/// The observed queries of one database as a pure state machine, changed under the lock of `LiveQueryCoordinator`. The
/// caller of a mutating method performs the returned actions afterwards.
struct LiveState {
    typealias Continuation = CheckedContinuation<LiveObserver.Outcome?, Never>

    /// An action that the caller performs after a change of the state.
    enum Action {
        case resume(Continuation, LiveObserver.Outcome?)
        case begin(LiveRun, ordinal: Int)
        /// Calls `timePassed` for a query after a duration. `isRetry` is true for a query that failed, which is run
        /// again even if nothing has changed.
        case wait(LiveRun, Duration, isRetry: Bool)
        case interrupt(LiveRun)
        case follow(LiveWatch)
        case wake(LiveWatch)
        case end(LiveWatch)
        case followSchema(ChangeWatch)
        case endSchema(ChangeWatch)
    }

    /// An observer of a query.
    struct Observer {
        var run: LiveRun
        /// The number of the first run of the query that started after the observer joined; earlier results aren't
        /// delivered to the observer.
        var firstOrdinal: Int
        /// The identity of the result that was delivered to the observer last; nil before the first one.
        var seen: LiveOutcome.Identity?
        var continuation: Continuation?
    }

    /// The state of an observed query that one or more observers share.
    struct Shared {
        let run: LiveRun
        var observers: Set<Int> = []
        var waitingCount = 0
        /// The number of the query's run that started last, from 1; 0 before the first run.
        var begun = 0
        /// The number of the query's run that ended last; 0 if none has ended.
        var ended = 0
        var isRunning = false
        /// A Boolean value that says whether the result may have changed since the last run started.
        var isDirty = true
        /// A Boolean value that says whether the next run starts without waiting for the throttle interval.
        var isUrgent = true
        var isTimed = false
        var lastStart: ContinuousClock.Instant?
        var isFailed = false
        /// For each collection, by its number, the position in its changes up to which the last run has read them, or a
        /// later position up to which they have been examined.
        var positions: [Int: ChangePosition] = [:]
        var filter: LiveFilter?
        var values: [QueryValue] = []
        var members = LiveMembers()
        /// The outcome of the last run, kept until every observer has received it or the next run starts; otherwise
        /// nil.
        var kept: LiveOutcome?

        /// A Boolean value that says whether no run is in progress, and none is needed before documents change.
        var isIdle: Bool { !isRunning && !isDirty }
    }

    /// A collection whose changes are examined for observed queries.
    struct Watched {
        let watch: LiveWatch
        /// The position in the collection's changes up to which the watch has examined them.
        var position: ChangePosition
        var runs: Set<ObjectIdentifier> = []
        /// The version of the set of conditions, which changes when an observed query on the collection is added,
        /// removed or gets another condition.
        var version = 1
    }

    var observers: [Int: Observer] = [:]
    var runs: [ObjectIdentifier: Shared] = [:]
    var watches: [Int: Watched] = [:]
    var schemaWatch: ChangeWatch?
    var statistics = LiveQueryStatistics()
    private(set) var runsByKey: [LiveKey: LiveRun] = [:]
    private var nextObserver = 1

    // MARK: - Observers

    /// Adds an observer of a query. The first result that the observer gets is that of a run that starts afterwards.
    ///
    /// - Returns: the observer's number.
    mutating func join(_ source: QueryDefinition, _ key: LiveKey, _ actions: inout [Action]) -> Int {
        let number = nextObserver
        nextObserver += 1
        attach(number, source, key, continuation: nil, &actions)
        return number
    }

    private mutating func attach(
        _ number: Int, _ source: QueryDefinition, _ key: LiveKey, continuation: Continuation?, _ actions: inout [Action]
    ) {
        assert(observers[number] == nil, "an observer is one of a single query")
        let run = runsByKey[key] ?? LiveRun(source, key: key)
        runsByKey[key] = run
        var shared = runs[ObjectIdentifier(run)] ?? Shared(run: run)
        assert(shared.run === run, "a query is found by its identity")
        shared.observers.insert(number)
        (shared.isDirty, shared.isUrgent, shared.kept) = (true, true, nil)
        if continuation != nil { shared.waitingCount += 1 }
        runs[ObjectIdentifier(run)] = shared
        observers[number] = Observer(run: run, firstOrdinal: shared.begun + 1, seen: nil, continuation: continuation)
        if schemaWatch == nil {
            let watch = ChangeWatch(source.database, collection: nil)
            schemaWatch = watch
            actions.append(.followSchema(watch))
        }
    }

    /// Registers the continuation of an observer, to be resumed with the next result that the observer hasn't received,
    /// or with nil if the observation has ended.
    mutating func next(_ number: Int, _ continuation: Continuation, now: ContinuousClock.Instant) -> [Action] {
        guard var observer = observers[number], observer.continuation == nil,
            var shared = runs[ObjectIdentifier(observer.run)]
        else { return [.resume(continuation, nil)] }
        var actions: [Action] = []
        if let kept = shared.kept, !shared.isDirty, observer.firstOrdinal <= shared.ended,
            observer.seen != kept.identity
        {
            observer.seen = kept.identity
            observers[number] = observer
            if !shared.observers.contains(where: { isBehind($0, kept.identity) }) { shared.kept = nil }
            actions.append(.resume(continuation, kept.result))
        } else {
            observer.continuation = continuation
            observers[number] = observer
            shared.waitingCount += 1
            pump(&shared, now, &actions)
        }
        runs[ObjectIdentifier(shared.run)] = shared
        return actions
    }

    /// Removes an observer, and its query if no other observer shares it; a waiting observer gets nil.
    mutating func leave(_ number: Int) -> [Action] {
        guard let observer = observers.removeValue(forKey: number) else { return [] }
        var actions: [Action] = []
        if let continuation = observer.continuation { actions.append(.resume(continuation, nil)) }
        detach(number, observer, &actions)
        endIfUnused(&actions)
        return actions
    }

    /// Assigns an observer to another query. The observer gets the next result of that query even if it equals the one
    /// delivered last.
    mutating func move(_ number: Int, to source: QueryDefinition, _ key: LiveKey, now: ContinuousClock.Instant)
        -> [Action]
    {
        guard let observer = observers.removeValue(forKey: number) else { return [] }
        var actions: [Action] = []
        attach(number, source, key, continuation: observer.continuation, &actions)
        if let new = observers[number], new.run !== observer.run {
            detach(number, observer, &actions)
        } else if observer.continuation != nil {
            runs[ObjectIdentifier(observer.run)]?.waitingCount -= 1
        }
        if let run = observers[number]?.run { pump(run, now, &actions) }
        return actions
    }

    private mutating func detach(_ number: Int, _ observer: Observer, _ actions: inout [Action]) {
        let id = ObjectIdentifier(observer.run)
        assert(runs[id] != nil, "the query of an observer is observed")
        guard var shared = runs[id] else { return }
        let known = shared.observers.remove(number)
        assert(known != nil, "a query knows its observers")
        if observer.continuation != nil { shared.waitingCount -= 1 }
        runs[id] = shared
        guard shared.observers.isEmpty else { return }
        assert(shared.waitingCount == 0, "only observers wait")
        assert(runsByKey[shared.run.key] === shared.run, "a query is found by its key")
        runs[id] = nil
        runsByKey[shared.run.key] = nil
        follow([], id, [:], &actions)
        actions.append(.interrupt(shared.run))
    }

    private mutating func endIfUnused(_ actions: inout [Action]) {
        guard runs.isEmpty, let watch = schemaWatch else { return }
        assert(observers.isEmpty && runsByKey.isEmpty && watches.isEmpty, "everything ends with the last query")
        schemaWatch = nil
        actions.append(.endSchema(watch))
    }

    /// Ends all observations, because the database was closed.
    mutating func endAll() -> [Action] {
        let actions = observers.keys.sorted().flatMap { leave($0) }
        assert(runs.isEmpty && schemaWatch == nil, "everything ends with the last observer")
        return actions
    }

    /// Returns whether an observer isn't waiting for a result, and hasn't received the result with an identity yet.
    func isBehind(_ number: Int, _ identity: LiveOutcome.Identity) -> Bool {
        observers[number].map { $0.continuation == nil && $0.seen != identity } ?? false
    }
}
