internal import SealiteBase
public import SealiteDatabase
internal import SealiteFile
internal import Synchronization

/// The live queries of one `Database`, which are run again for their observers when documents change. Performs the
/// actions that the state machine `LiveState` decides on.
final class LiveQueryCoordinator: Sendable {
    /// Functions that are called at certain points of the execution of queries; none by default.
    struct Hooks: Sendable {
        /// Called when a run of an observed query has read its result, before the result is delivered.
        var didRead: (@Sendable () -> Void)?
    }

    /// The interval at which a collection's changes are examined while commits arrive continuously.
    static let lookInterval = Duration.milliseconds(10)

    private let state = Mutex(LiveState())
    private let workers: LiveWorkers
    let hooks = Mutex(Hooks())

    private let time: any TimeSource

    private init(_ configuration: DatabaseConfiguration) {
        workers = LiveWorkers(limit: configuration.readerCount)
        time = configuration.time
    }

    /// Returns the coordinator of a database's live queries, which the first call creates.
    static func of(_ database: Database) -> LiveQueryCoordinator {
        database.attachments.object(LiveQueryCoordinator.self) { LiveQueryCoordinator(database.configuration) }
    }

    var statistics: LiveQueryStatistics {
        state.withLock { state in
            var statistics = state.statistics
            (statistics.observers, statistics.sharedQueries) = (state.observers.count, state.runs.count)
            return statistics
        }
    }

    /// For each collection whose changes are followed, by its number, the position in its changes up to which they have
    /// been examined.
    var positions: [Int: ChangePosition] { state.withLock { $0.watches.mapValues(\.position) } }

    /// A Boolean value that says whether no run of an observed query is in progress, and none is due for a waiting
    /// observer. A query that has failed, and waits to be run again, doesn't count.
    var isIdle: Bool {
        state.withLock { state in
            state.runs.values.allSatisfy { !$0.isRunning && ($0.isFailed || !$0.isDirty || $0.waitingCount == 0) }
        }
    }

    /// Returns the query that is run for all observers of the queries with a key; nil if there are none.
    func run(_ key: LiveKey) -> LiveRun? { state.withLock { $0.runsByKey[key] } }

    // MARK: - Observers

    func join(_ source: QueryDefinition, _ key: LiveKey) -> Int {
        var actions: [LiveState.Action] = []
        let number = state.withLock { $0.join(source, key, &actions) }
        perform(actions)
        return number
    }

    func next(_ number: Int, _ continuation: LiveState.Continuation) {
        let now = time.now
        perform(state.withLock { $0.next(number, continuation, now: now) })
    }

    func move(_ number: Int, to source: QueryDefinition, _ key: LiveKey) {
        let now = time.now
        perform(state.withLock { $0.move(number, to: source, key, now: now) })
    }

    func leave(_ number: Int) { perform(state.withLock { $0.leave(number) }) }

    // MARK: - Actions

    private func perform(_ actions: [LiveState.Action]) {
        for action in actions {
            switch action {
            case .resume(let continuation, let outcome): continuation.resume(returning: outcome)
            case .begin(let run, let ordinal): workers.start { self.execute(run, ordinal) }
            case .wait(let run, let duration, let isRetry):
                time.after(duration) { [weak self] in self?.timePassed(run, isRetry: isRetry) }
            case .interrupt(let run): run.interrupt()
            case .wake(let watch): watch.changes.wake()
            case .end(let watch): watch.changes.end()
            case .endSchema(let watch): watch.end()
            case .follow(let watch): Task { await self.follow(watch) }
            case .followSchema(let watch): Task { await self.followSchema(watch) }
            }
        }
    }

    private func execute(_ run: LiveRun, _ ordinal: Int) {
        let outcome = run.execute()
        hooks.withLock(\.didRead)?()
        if (outcome.error as? DatabaseError)?.code == .notOpen, run.database.path == nil { return endAll() }
        let now = time.now
        perform(state.withLock { $0.finish(run, ordinal: ordinal, outcome, now: now) })
    }

    private func timePassed(_ run: LiveRun, isRetry: Bool) {
        let now = time.now
        perform(state.withLock { $0.timePassed(run, isRetry: isRetry, now: now) })
    }

    private func endAll() { perform(state.withLock { $0.endAll() }) }

    // MARK: - Following

    private func follow(_ watch: LiveWatch) async {
        var last: ContinuousClock.Instant?
        while await watch.changes.wait() {
            // The task that sleeps here is never cancelled: it ends with the watch.
            if let last { try? await time.sleep(until: last + Self.lookInterval) }
            last = time.now
            try? await Offload.run { self.look(watch) }
        }
    }

    private func look(_ watch: LiveWatch) {
        let known = watch.knownVersion
        guard let look = state.withLock({ $0.look(watch, knownVersion: known) }) else { return }
        let findings = watch.look(look)
        let now = time.now
        perform(state.withLock { $0.take(findings, look, of: watch, now: now) })
    }

    private func followSchema(_ watch: ChangeWatch) async {
        while await watch.wait() {
            let now = time.now
            perform(state.withLock { $0.schemaChanged(now: now) })
        }
        // The watch also ends with the last observer; new observers may have joined meanwhile, with another watch.
        if state.withLock({ $0.schemaWatch === watch }) { endAll() }
    }
}

/// Runs queries for observers on separate threads, a limited number at a time, in the order of the requests.
final class LiveWorkers: Sendable {
    private struct State {
        var busyCount = 0
        var waiting: [@Sendable () -> Void] = []
        var next = 0
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = max(limit, 1) }

    /// Starts work on a separate thread, or queues it if the allowed number of threads are busy.
    func start(_ work: @escaping @Sendable () -> Void) {
        let isFree = state.withLock { state in
            guard state.busyCount < limit else {
                state.waiting.append(work)
                return false
            }
            assert(state.waiting.isEmpty && state.next == 0, "nothing waits while a thread is free")
            state.busyCount += 1
            return true
        }
        if isFree { Offload.start { self.run(work) } }
    }

    private func run(_ first: @Sendable () -> Void) {
        first()
        while let work = takeNext() { work() }
    }

    private func takeNext() -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard state.next < state.waiting.count else {
                assert(state.busyCount > 0 && state.busyCount <= limit)
                (state.waiting, state.next) = ([], 0)
                state.busyCount -= 1
                return nil
            }
            let work = state.waiting[state.next]
            state.next += 1
            if state.next >= 64, state.next * 2 >= state.waiting.count {
                state.waiting.removeFirst(state.next)
                state.next = 0
            }
            return work
        }
    }
}

/// Statistics of the live queries of a `Database` since it was opened.
public struct LiveQueryStatistics: Sendable, Equatable {
    /// The current number of observers of live queries.
    public var observers = 0
    /// The current number of different live queries; observers of equal queries share one.
    public var sharedQueries = 0
    /// The number of times that live queries were run for observers.
    public var executions = 0
    /// The number of times that a changed document was examined for whether it affects the result of a live query.
    public var evaluatedChanges = 0
    /// The number of times that such an examination of a changed document showed that it doesn't affect the result of a
    /// live query.
    public var skippedChanges = 0
}

extension Database {
    /// The statistics of the live queries of this object since the database was opened.
    public var liveQueryStatistics: LiveQueryStatistics { LiveQueryCoordinator.of(self).statistics }
}
