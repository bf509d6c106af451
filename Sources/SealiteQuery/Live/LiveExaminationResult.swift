internal import SealiteDatabase

/// The result of examining changes.
struct LiveExaminationResult: Sendable {
    /// The position in the collection's changes up to which changes have been examined; nil if this failed.
    var position: ChangePosition?
    /// The queries whose results may be out of date, so that they must be run.
    var dirty: Set<ObjectIdentifier> = []
    var evaluatedCount = 0
    var skippedCount = 0
}
