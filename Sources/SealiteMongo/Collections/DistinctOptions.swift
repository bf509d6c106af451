public import SealiteValues

/// The options of `distinct`.
public struct DistinctOptions: Sendable {
    /// The variables that expressions refer to as `$$name`.
    public var `let`: MongoDocument

    /// Creates options.
    public init(`let` variables: MongoDocument = [:]) { self.let = variables }
}
