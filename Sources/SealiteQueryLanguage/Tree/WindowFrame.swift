/// The frame of a window: the rows of a partition, around each row, that a window function operates on.
package struct WindowFrame: Sendable, Equatable {
    /// The unit in which the bounds of a window's frame are counted.
    package enum Unit: String, Sendable, CaseIterable {
        case rows = "ROWS"
        case range = "RANGE"
        case groups = "GROUPS"
    }

    /// One end of a window's frame.
    package enum Bound: Sendable, Equatable {
        case unboundedPreceding
        case preceding(Expression)
        case currentRow
        case following(Expression)
        case unboundedFollowing
    }

    package var unit: Unit
    package var start: Bound
    /// The bound at the end of the frame; nil stands for the current row.
    package var end: Bound?

    package init(_ unit: Unit, from start: Bound, to end: Bound? = nil) {
        self.unit = unit
        self.start = start
        self.end = end
    }
}
