internal import SealiteDatabase

/// A table that a plan reads.
enum PlannedRead: Sendable {
    /// The documents of a collection.
    case documents(collection: Int)
    /// The keys of an index, of which the first `equalCount` are bound to one value each.
    case index(PlannedIndex, equalCount: Int)
}
