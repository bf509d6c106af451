public import SealiteValues

/// The options of `bulkWrite`.
public struct BulkWriteOptions: Sendable {
    /// A Boolean value that says whether the first error ends the call; otherwise the remaining writes are still made.
    /// The default is true.
    public var ordered: Bool
    /// A Boolean value that says whether the first error ends the call and nothing is stored. The default is false: the
    /// writes that succeeded stay.
    public var atomic: Bool
    /// The variables that expressions refer to as `$$name`.
    public var `let`: MongoDocument

    /// Creates options.
    public init(ordered: Bool = true, atomic: Bool = false, `let` variables: MongoDocument = [:]) {
        (self.ordered, self.atomic, self.let) = (ordered, atomic, variables)
    }
}
