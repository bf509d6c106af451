/// A call of a function of `FunctionSignature`'s table.
package struct FunctionCall: Sendable, Equatable {
    /// The function's name in upper case.
    package var name: String
    /// The arguments; an aggregate may have a single `*`.
    package var arguments: [ExpressionTree]
    /// A Boolean value that says whether DISTINCT is written, so that an aggregate ignores repeated values.
    package var isDistinct: Bool
    /// The condition of FILTER, which rows must satisfy to be aggregated; nil without one.
    package var filter: ExpressionTree?
    /// The window of OVER; nil without one.
    package var window: Window?
    /// The position of the function's name in the query's text.
    package var position: SourcePosition

    package init(
        _ name: String, _ arguments: [ExpressionTree], isDistinct: Bool = false, window: Window? = nil,
        at position: SourcePosition = .none
    ) {
        self.name = name
        self.arguments = arguments
        self.isDistinct = isDistinct
        self.window = window
        self.position = position
    }
}

/// The window of a window function: `OVER (PARTITION BY … ORDER BY … ROWS BETWEEN … AND …)`.
package struct Window: Sendable, Equatable {
    package var partitions: [ExpressionTree]
    package var order: [OrderTerm]
    package var frame: WindowFrame?

    package init(partitions: [ExpressionTree] = [], order: [OrderTerm] = [], frame: WindowFrame? = nil) {
        self.partitions = partitions
        self.order = order
        self.frame = frame
    }
}

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
        case preceding(ExpressionTree)
        case currentRow
        case following(ExpressionTree)
        case unboundedFollowing
    }

    package var unit: Unit
    package var start: Bound
    /// The bound at the end of the frame; nil stands for the current row.
    package var end: Bound?
}
