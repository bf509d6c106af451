internal import SealiteFile

/// The objects of a query that have the same value in a member.
public struct ObjectSection<Key: Hashable & Sendable, M: Model>: Sendable {
    /// The value that the objects of the section have in common.
    public let key: Key
    /// The objects, at least one, in the query's order.
    public let objects: [M]
}

extension ObjectSection: Equatable where M: Equatable {}
