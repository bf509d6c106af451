internal import SealiteBase
internal import SealiteDatabase
internal import Synchronization

/// An observed query, which is run once for all observers of equal queries.
final class LiveRun: Sendable {
    private struct Current {
        /// A Boolean value that says whether a run is in progress.
        var isRunning = false
        var snapshot: HeldSnapshot?
        var reason: DatabaseError?
    }

    let key: LiveKey
    private let source: QueryDefinition
    private let plan = Mutex<LivePlan?>(nil)
    private let current = Mutex(Current())

    init(_ source: QueryDefinition, key: LiveKey) {
        self.source = source
        self.key = key
    }

    var database: Database { source.database }

    /// Runs the query on the calling thread, with all reads from one snapshot of the database. Not to be called
    /// concurrently.
    func execute() -> LiveOutcome {
        var outcome = LiveOutcome()
        let start = database.configuration.time.now
        do {
            try prepareSearch(until: key.timeLimit.map { start + $0 / 2 })
            let snapshot = try database.holdSnapshot()
            defer { snapshot.end() }
            let reason = current.withLock { current in
                assert(current.snapshot == nil, "one run at a time")
                current.snapshot = snapshot
                return current.reason
            }
            if let reason { throw reason }
            if let limit = key.timeLimit { interrupt(snapshot, after: limit, since: start) }
            outcome.result = .success(try snapshot.read { try read(snapshot, &outcome) })
        } catch {
            let reason = current.withLock(\.reason)
            outcome.result = .failure(reason ?? QueryErrors.explained(error))
        }
        // The time limit applies to each run separately.
        current.withLock { $0 = Current() }
        return outcome
    }

    /// Ends the run in progress, if there is one, with the error `cancelled`, because no observer waits for its result.
    func interrupt() { interrupt(DatabaseError(.cancelled, "the query was cancelled"), only: nil) }

    private func interrupt(_ reason: DatabaseError, only: ObjectIdentifier?) {
        let snapshot = current.withLock { current -> HeldSnapshot? in
            if current.isRunning, current.snapshot == nil, only == nil { current.reason = reason }
            guard let snapshot = current.snapshot, only.map({ $0 == ObjectIdentifier(snapshot) }) ?? true else {
                return nil
            }
            current.reason = reason
            return snapshot
        }
        snapshot?.interrupt()
    }

    private func interrupt(_ snapshot: HeldSnapshot, after limit: Duration, since start: ContinuousClock.Instant) {
        let identity = ObjectIdentifier(snapshot)
        let time = database.configuration.time
        time.after(max(start + limit - time.now, .zero)) { [weak self] in
            self?.interrupt(
                DatabaseError(.cancelled, "the query took longer than its time limit of \(limit)"), only: identity)
        }
    }

    /// Trains and fills the vector indexes that the query searches, which isn't possible in the snapshot of the run.
    private func prepareSearch(until end: ContinuousClock.Instant?) throws {
        current.withLock { $0.isRunning = true }
        // After a change of the schema the next run does it.
        let known = try plan.withLock { $0 } ?? currentPlan()
        for index in known.vectorIndexes {
            try database.prepareSearch(ofIndex: index, until: end) {
                if let reason = current.withLock(\.reason) { throw reason }
            }
        }
    }

    // MARK: - Reading

    private func read(_ snapshot: HeldSnapshot, _ outcome: inout LiveOutcome) throws -> LiveRows {
        let plan = try currentPlan()
        for collection in plan.collections {
            outcome.positions[collection.number] = try collection.changePosition()
        }
        outcome.plan = plan
        let values = try Parameters.values(key.parameters, plan.parameters, database.configuration.time)
        assert(values.count == plan.parameters.count, "each parameter is bound")
        outcome.values = values
        var (results, members, hasher) = ([Result](), [Int64](), RowHasher())
        let columnCount = CInt(plan.columns.names.count)
        let keepsMembers = plan.filter?.predicate != nil
        try snapshot.forEachRow(plan.sql, bind: values.bind) { row in
            if let limit = key.rowLimit, results.count >= limit { return true }
            let values = (0..<columnCount).map { QueryValue(row, $0) }
            hasher.combine(values)
            results.append(Result(columns: plan.columns, values: values, database: database))
            if keepsMembers, plan.hasNumberColumn { members.append(row.int64(at: columnCount)) }
            return false
        }
        if let sql = plan.filter?.members {
            try snapshot.forEachRow(sql, bind: values.bind) { row in
                members.append(row.int64(at: 0))
                return false
            }
        }
        outcome.members = LiveMembers(members)
        return LiveRows(plan.columns, database, results, hash: hasher.finalize())
    }

    /// Returns the query's translation for the schema of the snapshot that is being read.
    private func currentPlan() throws -> LivePlan {
        let schema = try database.schemaVersion()
        if let known = plan.withLock({ $0 }), known.schema == schema { return known }
        let new = try LivePlan(source, schema: schema, hasRowLimit: key.rowLimit != nil)
        plan.withLock { $0 = new }
        return new
    }
}

/// The outcome of one run of an observed query.
struct LiveOutcome: Sendable {
    /// The identity of a result: results of the same identity aren't delivered to an observer twice in a row.
    enum Identity: Equatable, Sendable {
        case rows(RowHash)
        case failure(String)
    }

    /// The query's translation to SQL; nil if it couldn't be translated.
    var plan: LivePlan?
    /// For each collection that the run has read, by its number, the position in its changes up to which the run has
    /// read them.
    var positions: [Int: ChangePosition] = [:]
    /// The values of the query's parameters in this run, in the order of their numbers in SQL.
    var values: [QueryValue] = []
    /// The documents that take part in the result; empty if the plan has no condition by which changes are skipped.
    var members = LiveMembers()
    var result: LiveObserver.Outcome = .failure(DatabaseError(.cancelled, "the query wasn't run"))

    var identity: Identity {
        switch result {
        case .success(let rows): .rows(rows.hash)
        case .failure(let error): .failure("\(error)")
        }
    }

    /// The error that the run ended with; nil if it has a result.
    var error: (any Error)? {
        if case .failure(let error) = result { error } else { nil }
    }
}

/// A result of an observed query, whose rows all observers of equal queries share.
final class LiveRows: Sendable {
    let columns: ResultColumns
    let database: Database
    let results: [Result]
    let hash: RowHash

    init(_ columns: ResultColumns, _ database: Database, _ results: [Result], hash: RowHash) {
        self.columns = columns
        self.database = database
        self.results = results
        self.hash = hash
    }

    /// Returns a result set with the rows for one observer, which reads them independently of others.
    func makeResultSet() -> ResultSet { ResultSet(columns, database, rows: results) }
}

/// The row numbers of the documents that take part in the result of an observed query.
struct LiveMembers: Sendable {
    private let numbers: [Int64]

    /// Creates the set of the given row numbers.
    ///
    /// - Parameter numbers: the row numbers, in any order. Those of deleted documents may be negative, as they are
    ///   stored.
    init(_ numbers: [Int64] = []) { self.numbers = numbers.map { $0 == .min ? .max : abs($0) }.sorted() }

    /// Returns whether the document with a row number, which is negative for a deleted one, takes part in the result.
    func contains(_ row: Int64) -> Bool {
        let number = row == .min ? .max : abs(row)
        var (low, high) = (0, numbers.count)
        while low < high {
            let middle = (low + high) / 2
            if numbers[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low < numbers.count && numbers[low] == number
    }
}
