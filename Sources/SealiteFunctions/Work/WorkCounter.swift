/// The units of work that an operation has done, and when it looks next whether it was cancelled: the one budget of SQL
/// functions, full-text search, and MongoDB's expressions, filters and pipelines (Documentation/Queries.md §5).
///
/// A unit is an item, a member, a word or a comparison of two values, or 64 bytes that are copied, searched or compared.
/// The total isn't limited. An operation that charges its work as it does it, or before, does at most `interval` units,
/// and one pass over one of its values, after it was cancelled.
package struct WorkCounter {
    /// The maximum number of units between two looks.
    package static let interval = 1 << 18

    /// The number of units that were charged.
    @usableFromInline package internal(set) var units = 0
    @usableFromInline var nextLook: Int
    @usableFromInline let interval: Int

    /// Creates a counter for an operation that looks each `interval` units, at most ``interval`` of the type.
    package init(interval: Int = Self.interval) { (self.interval, nextLook) = (interval, interval) }

    /// Charges units of work.
    ///
    /// - Returns: true if the operation must now look whether it was cancelled.
    @inlinable @inline(__always)
    package mutating func charge(_ count: Int) -> Bool {
        units &+= count
        guard units >= nextLook else { return false }
        nextLook = units &+ interval
        return true
    }

    /// Returns the number of units of a pass over bytes.
    @inlinable @inline(__always)
    package static func units(ofBytes byteCount: Int) -> Int { 1 + byteCount >> 6 }
}
