internal import SealiteDatabase

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
