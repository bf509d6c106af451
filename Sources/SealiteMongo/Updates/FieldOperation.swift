internal import SealiteValues

/// The operation of an update on the value at one path.
struct FieldOperation: Sendable {
    /// The end of an operation.
    enum Outcome {
        case unchanged
        case value(BSON)
        case removed
    }

    /// The treatment of a path that leads to nothing.
    enum Missing: Sendable {
        /// The operation makes a value, and the objects on the way to it.
        case makesValue
        /// Nothing; a path that can't exist is refused.
        case nothing
        /// Nothing, even where the path can't exist.
        case nothingAnywhere
    }

    /// The operator's name.
    let name: String
    let missing: Missing
    /// Returns what becomes of a value, nil for a missing one, at a path.
    let apply: @Sendable (BSON?, UpdateSituation, _ path: String) throws -> Outcome
    /// The path from which a value is moved here by `$rename`.
    var source: [String]?
    /// True for an operation that takes place in a new document only.
    var isForInsertion = false

    init(
        _ name: String, missing: Missing,
        _ apply: @escaping @Sendable (BSON?, UpdateSituation, _ path: String) throws -> Outcome
    ) {
        (self.name, self.missing, self.apply) = (name, missing, apply)
    }
}

/// The document that an update is applied to, as operations see it.
struct UpdateSituation: Sendable {
    /// The place in an array at which the filter found its value.
    let position: Int?
    /// True for a document that the update inserts.
    let isInsertion: Bool
    /// The time, one for a whole statement.
    let now: DateTime
    /// The values that `$rename` moves, by the paths from which it does.
    var moved: [[String]: BSON] = [:]

    /// Returns a Boolean value that says whether an operation does nothing in this document.
    func isIdle(_ operation: FieldOperation) -> Bool {
        if operation.isForInsertion { return !isInsertion }
        if let source = operation.source { return moved[source] == nil }
        return false
    }
}
