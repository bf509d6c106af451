internal import SealiteValues

/// The document that an update is applied to, as far as operations need it.
struct UpdateSituation: Sendable {
    /// The index in an array at which the filter found its value; nil if none was in an array.
    let position: Int?
    /// A Boolean value that says whether the update inserts the document.
    let isInsertion: Bool
    /// The time of `$currentDate`, the same for all documents of a statement.
    let now: DateTime
    /// The values that `$rename` moves, by their former paths.
    var moved: [[String]: BSON] = [:]

    /// Returns a Boolean value that says whether an operation has no effect on this document.
    func isIdle(_ operation: FieldOperation) -> Bool {
        if operation.isForInsertion { return !isInsertion }
        if let source = operation.source { return moved[source] == nil }
        return false
    }
}
