internal import SealiteDatabase

/// A query for which a watch looks at changes.
struct LiveCandidate: Sendable {
    let run: ObjectIdentifier
    /// The number of the run whose result is looked at.
    let ordinal: Int
    /// How far the collection was in that run, and has been looked at since.
    let position: ChangePosition
    /// The rule by which changes are skipped; nil where each change counts.
    let filter: LiveFilter?
    let values: [QueryValue]
    let members: LiveMembers
}

/// What a watch is to look at.
struct LiveLook: Sendable {
    /// How far it has looked.
    let position: ChangePosition
    /// Changes with the conditions of all queries on the collection.
    let version: Int
    /// The queries that are up to date, for which it looks.
    let candidates: [LiveCandidate]
    /// The queries on the collection that have conditions; empty where the watch knows them.
    let conditions: [LiveCandidate]
}

/// What a look found.
struct LiveFindings: Sendable {
    /// How far the collection was; nil where it couldn't be looked at.
    var position: ChangePosition?
    /// The queries that have to be run.
    var dirty: Set<ObjectIdentifier> = []
    var evaluatedCount = 0
    var skippedCount = 0
}

// Looking at changes.
extension LiveState {
    /// Returns what a watch is to look at; nil where it has ended.
    func look(_ watch: LiveWatch, knownVersion: Int) -> LiveLook? {
        guard let watched = watches[watch.collection.number], watched.watch === watch else { return nil }
        let shared = watched.runs.compactMap { runs[$0] }
        func candidate(_ shared: Shared) -> LiveCandidate? {
            let position = shared.isFailed ? watched.position : shared.positions[watch.collection.number]
            return position.map {
                LiveCandidate(
                    run: ObjectIdentifier(shared.run), ordinal: shared.begun, position: $0, filter: shared.filter,
                    values: shared.values, members: shared.members)
            }
        }
        let conditions = watched.version == knownVersion ? [] : shared.filter { $0.filter?.predicate != nil }
        return LiveLook(
            position: watched.position, version: watched.version,
            candidates: shared.filter(\.isIdle).compactMap(candidate),
            conditions: conditions.sorted { $0.run.key.text < $1.run.key.text }.compactMap(candidate))
    }

    /// Takes what a watch found for the queries that haven't been run since.
    mutating func take(_ findings: LiveFindings, _ look: LiveLook, of watch: LiveWatch, now: ContinuousClock.Instant)
        -> [Action]
    {
        let number = watch.collection.number
        guard var watched = watches[number], watched.watch === watch else { return [] }
        var actions: [Action] = []
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
        // Runs that ended meanwhile saw less than the watch has looked at.
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
