internal import SealiteDatabase

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
