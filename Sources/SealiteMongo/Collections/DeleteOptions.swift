public import SealiteValues

/// The options of `deleteOne` and `deleteMany`.
public struct DeleteOptions: Sendable {
    /// The variables that expressions refer to as `$$name`.
    public var `let`: MongoDocument

    /// Creates options.
    public init(`let` variables: MongoDocument = [:]) { self.let = variables }
}
