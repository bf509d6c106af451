internal import SealiteDatabase

/// A query for which a watch examines changes.
struct LiveCandidate: Sendable {
    let run: ObjectIdentifier
    /// The number of the run whose result is examined.
    let ordinal: Int
    /// The collection's position in that run, or the later position up to which it has been examined.
    let position: ChangePosition
    /// The rule for skipping changes; nil if every change counts.
    let filter: LiveFilter?
    let values: [QueryValue]
    let members: LiveMembers
}
