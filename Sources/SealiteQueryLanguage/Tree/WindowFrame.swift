/// The rows of a partition that a window function operates on.
package struct WindowFrame: Sendable, Equatable {
    /// The unit in which the bounds are counted.
    package enum Unit: String, Sendable, CaseIterable {
        case rows = "ROWS"
        case range = "RANGE"
        case groups = "GROUPS"
    }

    /// One end of a frame.
    package enum Bound: Sendable, Equatable {
        case unboundedPreceding
        case preceding(Expression)
        case currentRow
        case following(Expression)
        case unboundedFollowing
    }

    package var unit: Unit
    package var start: Bound
    /// The end bound; nil stands for the current row.
    package var end: Bound?

    package init(_ unit: Unit, from start: Bound, to end: Bound? = nil) {
        self.unit = unit
        self.start = start
        self.end = end
    }
}
