internal import SealiteDatabase

/// A table that the plan of a query reads.
enum PlannedRead: Sendable {
    /// The documents of the collection with a number.
    case documents(collection: Int)
    /// The keys of an index, of which the first `equalCount` are bound to one value each.
    case index(PlannedIndex, equalCount: Int)
}
