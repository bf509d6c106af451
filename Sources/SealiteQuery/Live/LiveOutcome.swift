internal import SealiteDatabase

/// What one run of an observed query found.
struct LiveOutcome: Sendable {
    /// What makes results equal: the same is not delivered twice in a row.
    enum Identity: Equatable, Sendable {
        case rows(RowHash)
        case failure(String)
    }

    /// The plan; nil where there was none to be made.
    var plan: LivePlan?
    /// How far the query's collections were.
    var positions: [Int: ChangePosition] = [:]
    /// The values of the parameters.
    var values: [QueryValue] = []
    /// The documents that take part, where the plan has a rule by which changes are skipped.
    var members = LiveMembers()
    var result: LiveObserver.Outcome = .failure(DatabaseError(.cancelled, "the query wasn't run"))

    var identity: Identity {
        switch result {
        case .rows(let rows): .rows(rows.hash)
        case .failure(let error): .failure("\(error)")
        }
    }

    /// The error; nil where there are rows.
    var error: (any Error)? {
        if case .failure(let error) = result { error } else { nil }
    }
}
