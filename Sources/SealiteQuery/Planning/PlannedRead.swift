internal import SealiteDatabase

/// A table that a plan reads.
enum PlannedRead: Sendable {
    /// The documents of a collection.
    case documents(collection: Int)
    /// The keys of an index, of which `equalCount` leading ones are bound to one value.
    case index(PlannedIndex, equalCount: Int)
}
