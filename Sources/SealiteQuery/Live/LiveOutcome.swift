internal import SealiteDatabase

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
        case .rows(let rows): .rows(rows.hash)
        case .failure(let error): .failure("\(error)")
        }
    }

    /// The error that the run ended with; nil if it has a result.
    var error: (any Error)? {
        if case .failure(let error) = result { error } else { nil }
    }
}
