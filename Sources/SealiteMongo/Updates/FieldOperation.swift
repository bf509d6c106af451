internal import SealiteValues

/// The operation of an update on the value at one path.
struct FieldOperation: Sendable {
    /// The result of an operation: the value is unchanged, replaced or removed.
    enum Outcome {
        case unchanged
        case value(BSON)
        case removed
    }

    /// The effect of the operation if there is no value at the path.
    enum Missing: Sendable {
        /// The operation creates a value, and the objects on the path to it.
        case makesValue
        /// The operation does nothing, but throws if the path leads through a value that can't contain the next name.
        case nothing
        /// The operation does nothing, even if the path leads through a value that can't contain the next name.
        case nothingAnywhere
    }

    /// The operator's name, such as `$set`.
    let name: String
    let missing: Missing
    /// A function that returns the operation's result for the value at a path; nil is a missing value.
    let apply: @Sendable (BSON?, UpdateSituation, _ path: String) throws -> Outcome
    /// The path from which `$rename` moves the value to the path of this operation; nil for other operators.
    var source: [String]?
    /// A Boolean value that says whether the operation applies only to documents that an upsert inserts.
    var isForInsertion = false

    init(
        _ name: String, missing: Missing,
        _ apply: @escaping @Sendable (BSON?, UpdateSituation, _ path: String) throws -> Outcome
    ) {
        (self.name, self.missing, self.apply) = (name, missing, apply)
    }
}
