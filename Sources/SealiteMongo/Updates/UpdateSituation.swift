internal import SealiteValues

/// The circumstances in which the operations of an update are applied to a document.
struct UpdateSituation: Sendable {
    /// The index in an array at which the filter found its value; nil if none was in an array.
    let position: Int?
    /// A Boolean value that says whether the update inserts the document.
    let isInsertion: Bool
    /// The time of `$currentDate`, the same for all documents of a statement.
    let now: DateTime
    /// The values that `$rename` moves, by the paths from which it moves them.
    var moved: [[String]: BSON] = [:]

    /// Returns a Boolean value that says whether an operation has no effect on the document: it is for inserted
    /// documents only, and this one isn't inserted, or it moves a missing value.
    func isIdle(_ operation: FieldOperation) -> Bool {
        if operation.isForInsertion { return !isInsertion }
        if let source = operation.source { return moved[source] == nil }
        return false
    }
}
