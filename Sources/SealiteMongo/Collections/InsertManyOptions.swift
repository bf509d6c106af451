internal import SealiteValues

/// The options of `insertMany`.
public struct InsertManyOptions: Sendable {
    /// A Boolean value that says whether the first error ends the call; otherwise the remaining documents are still
    /// written. The default is true.
    public var ordered: Bool
    /// A Boolean value that says whether the first error ends the call and nothing is stored. The default is false: the
    /// documents that could be inserted stay.
    public var atomic: Bool

    /// Creates options.
    public init(ordered: Bool = true, atomic: Bool = false) { (self.ordered, self.atomic) = (ordered, atomic) }
}
