internal import SealiteDatabase

/// The input for an examination of changes by a watch.
struct LiveExamination: Sendable {
    /// The position in the collection's changes up to which the watch has examined changes.
    let position: ChangePosition
    /// The version of the conditions, which changes with the set of observed queries on the collection.
    let version: Int
    /// The queries that aren't running or due, for which changes are examined.
    let candidates: [LiveCandidate]
    /// The queries with conditions on the collection; empty if the watch already has the conditions of this version.
    let conditions: [LiveCandidate]
}
