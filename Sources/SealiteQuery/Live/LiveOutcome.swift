internal import SealiteDatabase

/// The outcome of one run of an observed query.
struct LiveOutcome: Sendable {
    /// The identity of a result: an equal result isn't delivered twice in a row.
    enum Identity: Equatable, Sendable {
        case rows(RowHash)
        case failure(String)
    }

    /// The plan; nil if the translation failed.
    var plan: LivePlan?
    /// The positions of the query's collections in the run.
    var positions: [Int: ChangePosition] = [:]
    /// The values of the parameters.
    var values: [QueryValue] = []
    /// The documents that take part, if the plan has a rule for skipping changes.
    var members = LiveMembers()
    var result: LiveObserver.Outcome = .failure(DatabaseError(.cancelled, "the query wasn't run"))

    var identity: Identity {
        switch result {
        case .rows(let rows): .rows(rows.hash)
        case .failure(let error): .failure("\(error)")
        }
    }

    /// The error; nil if there are rows.
    var error: (any Error)? {
        if case .failure(let error) = result { error } else { nil }
    }
}
