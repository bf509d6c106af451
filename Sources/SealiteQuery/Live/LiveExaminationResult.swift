internal import SealiteDatabase

/// The result of examining the changes of a collection for observed queries.
struct LiveExaminationResult: Sendable {
    /// The position in the collection's changes up to which they have been examined; nil if this failed.
    var position: ChangePosition?
    /// The queries whose results may be out of date, so that they must be run.
    var dirty: Set<ObjectIdentifier> = []
    var evaluatedCount = 0
    var skippedCount = 0
}
