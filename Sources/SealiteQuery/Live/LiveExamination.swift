internal import SealiteDatabase

/// The work of a watch: the queries for which it examines changes.
struct LiveExamination: Sendable {
    /// The position up to which the watch has examined changes.
    let position: ChangePosition
    /// A number that changes with the conditions of the queries on the collection.
    let version: Int
    /// The queries that are up to date, for which changes are examined.
    let candidates: [LiveCandidate]
    /// The queries on the collection that have conditions; empty if the watch knows them.
    let conditions: [LiveCandidate]
}
