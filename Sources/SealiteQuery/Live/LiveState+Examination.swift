internal import SealiteDatabase

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
