internal import SealiteDatabase

/// The outcome of one run of an observed query.
struct LiveOutcome: Sendable {
    /// The identity of a result: an equal result isn't delivered twice in a row.
    enum Identity: Equatable, Sendable {
        case rows(RowHash)
        case failure(String)
    }

    /// The plan of the query; nil if the translation failed.
    var plan: LivePlan?
    /// The position in the changes of each collection that the run has read, by the collections' numbers.
    var positions: [Int: ChangePosition] = [:]
    /// The values of the parameters, in the order of their numbers in SQL.
    var values: [QueryValue] = []
    /// The documents that take part in the result, if the plan has a rule for skipping changes.
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
