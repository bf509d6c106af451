internal import SealiteDatabase

/// The result of examining changes.
struct LiveExaminationResult: Sendable {
    /// The position of the collection; nil if it couldn't be examined.
    var position: ChangePosition?
    /// The queries that must be run.
    var dirty: Set<ObjectIdentifier> = []
    var evaluatedCount = 0
    var skippedCount = 0
}
