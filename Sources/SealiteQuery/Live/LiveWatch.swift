internal import SealiteDatabase
internal import Synchronization

/// Examines the changes of one collection for whether they affect the results of observed queries, for all queries on
/// it at once.
final class LiveWatch: Sendable {
    /// One execution of an SQL statement over changed documents, with the queries whose conditions it evaluates.
    private struct Pass {
        let statement: LiveConditions
        /// The queries that haven't been found to be out of date, each with the number of the statement's column that
        /// has its condition.
        var open: [(column: CInt, candidate: LiveCandidate)]
    }

    let collection: Collection
    let changes: ChangeWatch
    /// The SQL statements with the conditions of all observed queries on the collection, and the version of the set of
    /// conditions.
    private let conditions = Mutex<(version: Int, statements: [LiveConditions])>((0, []))

    init(_ collection: Collection) {
        self.collection = collection
        changes = ChangeWatch(collection.database, collection: collection.number, namesPurges: true)
        changes.wake()
    }

    /// The version of the set of conditions that the watch has.
    var knownVersion: Int { conditions.withLock(\.version) }

    /// Examines the changes up to one snapshot of the database, on the calling thread, and returns which queries are
    /// out of date. Not to be called concurrently.
    func look(_ look: LiveExamination) -> LiveExaminationResult {
        let statements = conditions.withLock { known in
            if known.version != look.version {
                assert(known.version < look.version, "conditions only get newer")
                known = (look.version, LiveConditions.make(look.conditions, collection: collection.number))
            }
            return known.statements
        }
        var findings = LiveExaminationResult()
        do {
            let snapshot = try collection.database.holdSnapshot()
            defer { snapshot.end() }
            try snapshot.read { try read(snapshot, look, statements, &findings) }
        } catch {
            // The queries are run, so that observers get their errors.
            findings.dirty = Set(look.candidates.map(\.run))
        }
        return findings
    }

    private func read(
        _ snapshot: HeldSnapshot, _ look: LiveExamination, _ statements: [LiveConditions],
        _ findings: inout LiveExaminationResult
    ) throws {
        let position = try collection.changePosition()
        let purges = changes.takePurges(after: look.position.purges, through: position.purges)
        var filtered: [ObjectIdentifier: LiveCandidate] = [:]
        for candidate in look.candidates where position != candidate.position {
            guard candidate.filter?.predicate != nil,
                skipsPurges(purges, candidate, look.position, position, &findings)
            else {
                findings.dirty.insert(candidate.run)
                continue
            }
            if position.sequence > candidate.position.sequence { filtered[candidate.run] = candidate }
        }
        for statement in statements {
            let open = statement.runs.enumerated().compactMap { column, run -> (CInt, LiveCandidate)? in
                guard let candidate = filtered[run], candidate.position.sequence >= look.position.sequence else {
                    return nil
                }
                filtered[run] = nil
                return (CInt(column + 2), candidate)
            }
            try run(Pass(statement: statement, open: open), after: look.position.sequence, snapshot, &findings)
        }
        // Queries whose last run read an earlier state than the last examination are examined one by one, from the
        // positions of their runs.
        for candidate in filtered.values {
            for statement in LiveConditions.make([candidate], collection: collection.number) {
                let pass = Pass(statement: statement, open: [(2, candidate)])
                try run(pass, after: candidate.position.sequence, snapshot, &findings)
            }
        }
        findings.position = position
    }

    /// Returns whether it is known that none of the documents that were purged since a query's last run took part in
    /// its result.
    private func skipsPurges(
        _ purges: [(purge: Int64, document: Int64)], _ candidate: LiveCandidate, _ looked: ChangePosition,
        _ position: ChangePosition, _ findings: inout LiveExaminationResult
    ) -> Bool {
        let count = position.purges - candidate.position.purges
        guard count > 0 else { return true }
        let named = purges.filter { $0.purge > candidate.position.purges }
        findings.evaluatedCount += named.count
        // The list is incomplete if another process purged documents, or if an earlier examination has taken some from
        // it.
        guard named.count == count, !named.contains(where: { candidate.members.contains($0.document) }) else {
            return false
        }
        findings.skippedCount += named.count
        return true
    }

    private func run(
        _ pass: Pass, after sequence: Int64, _ snapshot: HeldSnapshot, _ findings: inout LiveExaminationResult
    ) throws {
        guard !pass.open.isEmpty else { return }
        var pass = pass
        do {
            try snapshot.forEachRow(pass.statement.sql) { statement in
                pass.statement.values.bind(to: statement)
                statement.bind(sequence, at: CInt(pass.statement.values.count + 1))
            } _: { row in
                let (number, sequence) = (row.int64(at: 0), row.int64(at: 1))
                pass.open.removeAll { column, candidate in
                    guard sequence > candidate.position.sequence else { return false }
                    findings.evaluatedCount += 1
                    if row.int64(at: column) != 0 || candidate.members.contains(number) {
                        findings.dirty.insert(candidate.run)
                        return true
                    }
                    findings.skippedCount += 1
                    return false
                }
                return pass.open.isEmpty
            }
        } catch {
            // A condition failed on one of the documents.
            for (_, candidate) in pass.open { findings.dirty.insert(candidate.run) }
        }
    }
}

/// An observed query, in the form in which changed documents are examined for whether they affect its result.
struct LiveCandidate: Sendable {
    let run: ObjectIdentifier
    /// The number of the query's last run, from 1, whose result may be out of date.
    let ordinal: Int
    /// The position in the collection's changes up to which this run has read them, or a later position up to which
    /// they have been examined.
    let position: ChangePosition
    /// The rule by which changes that don't affect the result are skipped; nil if every change counts.
    let filter: LiveFilter?
    let values: [QueryValue]
    let members: LiveMembers
}

/// The input for one examination by a `LiveWatch` of the changes of a collection.
struct LiveExamination: Sendable {
    /// The position in the collection's changes up to which the watch has already examined them.
    let position: ChangePosition
    /// The version of the set of conditions, which changes when an observed query on the collection is added, removed
    /// or gets another condition.
    let version: Int
    /// The queries for which changes are examined: those that are neither running nor about to run.
    let candidates: [LiveCandidate]
    /// All queries with conditions on the collection; empty if the watch already has the conditions of this version.
    let conditions: [LiveCandidate]
}

/// The result of examining the changes of a collection for observed queries.
struct LiveExaminationResult: Sendable {
    /// The position in the collection's changes up to which they have been examined; nil if this failed.
    var position: ChangePosition?
    /// The queries whose results may be out of date, so that they must be run.
    var dirty: Set<ObjectIdentifier> = []
    var evaluatedCount = 0
    var skippedCount = 0
}
