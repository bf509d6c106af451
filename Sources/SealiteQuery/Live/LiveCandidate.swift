internal import SealiteDatabase

/// An observed query for which a watch examines changes of documents.
struct LiveCandidate: Sendable {
    let run: ObjectIdentifier
    /// The number of the query's run whose result may be out of date.
    let ordinal: Int
    /// The position in the collection's changes that this run has read, or a later position up to which changes have
    /// been examined.
    let position: ChangePosition
    /// The rule by which changes are skipped; nil if every change counts.
    let filter: LiveFilter?
    let values: [QueryValue]
    let members: LiveMembers
}
