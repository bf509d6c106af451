internal import SealiteDatabase

// Running queries.
extension LiveState {
    /// The time after which a query that failed because the file was locked is run again.
    static let retryTime = Duration.seconds(1)

    /// If the result of a query may have changed and an observer waits for it, appends the action that starts the next
    /// run, or that waits until the end of the throttle interval.
    mutating func pump(_ shared: inout Shared, _ now: ContinuousClock.Instant, _ actions: inout [Action]) {
        assert(shared.isRunning == (shared.begun > shared.ended), "a query has one run at a time")
        assert(shared.waitingCount >= 0 && shared.waitingCount <= shared.observers.count, "only observers wait")
        guard shared.isDirty, !shared.isRunning, shared.waitingCount > 0 else { return }
        if !shared.isUrgent, let last = shared.lastStart {
            let rest = last + shared.run.key.throttle - now
            guard rest <= .zero else {
                if !shared.isTimed {
                    shared.isTimed = true
                    actions.append(.wait(shared.run, rest, isRetry: false))
                }
                return
            }
        }
        shared.begun += 1
        (shared.isRunning, shared.isDirty, shared.isUrgent, shared.kept) = (true, false, false, nil)
        shared.lastStart = now
        statistics.executions += 1
        actions.append(.begin(shared.run, ordinal: shared.begun))
    }

    mutating func pump(_ run: LiveRun, _ now: ContinuousClock.Instant, _ actions: inout [Action]) {
        guard var shared = runs[ObjectIdentifier(run)] else { return }
        pump(&shared, now, &actions)
        runs[ObjectIdentifier(run)] = shared
    }

    /// Handles the end of a scheduled wait, and starts the next run of the query if it is due. `isRetry` is true for
    /// the wait before a failed query is run again.
    mutating func timePassed(_ run: LiveRun, isRetry: Bool, now: ContinuousClock.Instant) -> [Action] {
        guard var shared = runs[ObjectIdentifier(run)] else { return [] }
        var actions: [Action] = []
        if isRetry { shared.isDirty = shared.isDirty || shared.isFailed } else { shared.isTimed = false }
        pump(&shared, now, &actions)
        runs[ObjectIdentifier(run)] = shared
        return actions
    }

    /// Marks queries whose last run failed for another run, because collections, indexes or the file have changed.
    mutating func schemaChanged(now: ContinuousClock.Instant) -> [Action] {
        var actions: [Action] = []
        for (id, var shared) in runs where shared.isFailed {
            shared.isDirty = true
            shared.kept = nil
            pump(&shared, now, &actions)
            runs[id] = shared
        }
        return actions
    }

    /// Applies the outcome of the run with a number: delivers it to the observers, and starts another run if documents
    /// have changed meanwhile.
    mutating func finish(_ run: LiveRun, ordinal: Int, _ outcome: LiveOutcome, now: ContinuousClock.Instant) -> [Action]
    {
        let id = ObjectIdentifier(run)
        guard var shared = runs[id], shared.isRunning, shared.begun == ordinal else { return [] }
        var actions: [Action] = []
        (shared.isRunning, shared.ended) = (false, ordinal)
        assert(shared.kept == nil, "a result is kept until the next run")
        shared.isFailed = outcome.error != nil
        let predicate = shared.filter?.predicate
        shared.filter = shared.isFailed ? nil : outcome.plan?.filter
        (shared.positions, shared.values, shared.members) = (outcome.positions, outcome.values, outcome.members)
        if let plan = outcome.plan { follow(plan.collections, id, outcome.positions, &actions) }
        for (number, position) in outcome.positions {
            guard let watched = watches[number] else { continue }
            if predicate != shared.filter?.predicate { watches[number]?.version += 1 }
            guard watched.position.isBeyond(position) else { continue }
            // During the run, changes were examined only for other queries, or with the documents of this query's
            // previous result.
            if shared.filter == nil { shared.isDirty = true } else { actions.append(.wake(watched.watch)) }
        }
        if let error = outcome.error as? DatabaseError, error.code == .busy {
            actions.append(.wait(run, Self.retryTime, isRetry: true))
        }
        deliver(outcome, &shared, &actions)
        pump(&shared, now, &actions)
        runs[id] = shared
        return actions
    }

    private mutating func deliver(_ outcome: LiveOutcome, _ shared: inout Shared, _ actions: inout [Action]) {
        assert(!shared.isRunning)
        let identity = outcome.identity
        var isWanted = false
        for number in shared.observers {
            guard var observer = observers[number], observer.firstOrdinal <= shared.ended, observer.seen != identity
            else { continue }
            assert(observer.run === shared.run, "an observer is one of its query")
            guard let continuation = observer.continuation else {
                isWanted = true
                continue
            }
            (observer.continuation, observer.seen) = (nil, identity)
            observers[number] = observer
            shared.waitingCount -= 1
            actions.append(.resume(continuation, outcome.result))
        }
        assert(shared.waitingCount >= 0, "each waiting observer is resumed once")
        shared.kept = isWanted && !shared.isDirty ? outcome : nil
    }

    // MARK: - Collections

    /// Sets the collections whose changes the result of a query depends on. Watches of further collections are started,
    /// and watches that no query needs any more are ended.
    mutating func follow(
        _ collections: [Collection], _ run: ObjectIdentifier, _ positions: [Int: ChangePosition],
        _ actions: inout [Action]
    ) {
        assert(collections.isEmpty || runs[run] != nil, "only an observed query follows collections")
        let numbers = Set(collections.map(\.number))
        for (number, var watched) in watches where !numbers.contains(number) && watched.runs.remove(run) != nil {
            watched.version += 1
            watches[number] = watched.runs.isEmpty ? nil : watched
            if watched.runs.isEmpty { actions.append(.end(watched.watch)) }
        }
        for collection in collections {
            guard let position = positions[collection.number] else { continue }
            if var watched = watches[collection.number] {
                if watched.runs.insert(run).inserted { watched.version += 1 }
                watches[collection.number] = watched
            } else {
                // The watch starts to examine at once, because commits after the state that the run has read are newer
                // than the position.
                let watch = LiveWatch(collection)
                watches[collection.number] = Watched(watch: watch, position: position, runs: [run])
                actions.append(.follow(watch))
            }
        }
    }
}

extension ChangePosition {
    /// Returns whether this position in a collection's changes includes changes that another one doesn't.
    func isBeyond(_ other: ChangePosition) -> Bool { sequence > other.sequence || purges > other.purges }
}

// Examining changes.
extension LiveState {
    /// Returns the input for the next examination of changes by a watch; nil if the watch has ended. `knownVersion` is
    /// the version of the conditions that the watch already has.
    func look(_ watch: LiveWatch, knownVersion: Int) -> LiveExamination? {
        guard let watched = watches[watch.collection.number], watched.watch === watch else { return nil }
        let shared = watched.runs.compactMap { runs[$0] }
        assert(shared.count == watched.runs.count, "a watch examines changes for queries that are observed")
        assert(knownVersion <= watched.version, "a watch has the conditions of the queries, or earlier ones")
        func candidate(_ shared: Shared) -> LiveCandidate? {
            let position = shared.isFailed ? watched.position : shared.positions[watch.collection.number]
            return position.map {
                LiveCandidate(
                    run: ObjectIdentifier(shared.run), ordinal: shared.begun, position: $0, filter: shared.filter,
                    values: shared.values, members: shared.members)
            }
        }
        let conditions = watched.version == knownVersion ? [] : shared.filter { $0.filter?.predicate != nil }
        return LiveExamination(
            position: watched.position, version: watched.version,
            candidates: shared.filter(\.isIdle).compactMap(candidate),
            conditions: conditions.sorted { $0.run.key.text < $1.run.key.text }.compactMap(candidate))
    }

    /// Applies the result of an examination of changes to those queries that haven't been run since it began: marks
    /// those that are out of date for another run.
    mutating func take(
        _ findings: LiveExaminationResult, _ look: LiveExamination, of watch: LiveWatch, now: ContinuousClock.Instant
    )
        -> [Action]
    {
        let number = watch.collection.number
        guard var watched = watches[number], watched.watch === watch else { return [] }
        var actions: [Action] = []
        assert(look.version <= watched.version, "conditions only get newer")
        assert(findings.skippedCount <= findings.evaluatedCount)
        statistics.evaluatedChanges += findings.evaluatedCount
        statistics.skippedChanges += findings.skippedCount
        if let position = findings.position {
            watched.position = position
            watches[number] = watched
        }
        for candidate in look.candidates {
            guard var shared = runs[candidate.run], shared.isIdle, shared.begun == candidate.ordinal else { continue }
            if findings.dirty.contains(candidate.run) {
                (shared.isDirty, shared.kept) = (true, nil)
                pump(&shared, now, &actions)
            } else if let position = findings.position, !shared.isFailed {
                shared.positions[number] = position
            }
            runs[candidate.run] = shared
        }
        // Runs that ended during the examination may have read an earlier state than the one that was examined.
        let isBehind = watched.runs.contains { id in
            guard let shared = runs[id], shared.isIdle, !shared.isFailed, let position = shared.positions[number] else {
                return false
            }
            return watched.position.isBeyond(position)
        }
        if isBehind { actions.append(.wake(watch)) }
        return actions
    }
}
