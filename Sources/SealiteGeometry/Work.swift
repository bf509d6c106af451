/// The work of comparing shapes, in pairs of edges that were looked at.
///
/// A shape with many edges may take long, and one that was made for it longer than its number of edges says: a look whether to go on
/// is taken every few thousand units, and what reads shapes of others sets a limit.
package struct GeometryWork {
    private var units = 0
    private var total = 0
    private let limit: Int
    private let look: () throws -> Void

    private static let interval = 1 << 12

    /// Creates a count of work. `look` is called now and then, and may throw to end the work; `limit` is the number of units at
    /// which the work ends with ``GeometryError/tooComplex``.
    package init(limit: Int = .max, look: @escaping () throws -> Void = {}) { (self.limit, self.look) = (limit, look) }

    /// Charges units of work.
    @inline(__always)
    mutating func charge(_ count: Int) throws {
        units += count
        if units >= Self.interval { try settle() }
    }

    @inline(never)
    private mutating func settle() throws {
        total = total.addingReportingOverflow(units).partialValue
        units = 0
        guard total <= limit else { throw GeometryError.tooComplex }
        try look()
    }
}

/// The reason for which a value isn't a shape.
package struct GeometryError: Error, Equatable, Sendable {
    /// The fault of the value, as the end of a sentence: "a ring isn't closed".
    package let reason: String

    package init(_ reason: String) { self.reason = reason }

    /// The shape takes more work than its reader allows.
    package static let tooComplex = GeometryError("its edges take too much work to be compared with each other")
}
