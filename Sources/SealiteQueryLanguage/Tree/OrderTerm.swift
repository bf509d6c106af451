/// A term of ORDER BY: an expression and its direction.
package struct OrderTerm: Sendable, Equatable {
    /// The direction of a term, as it is written.
    package enum Direction: String, Sendable, CaseIterable {
        case ascending = "ASC"
        case descending = "DESC"
    }

    /// The position of NULL and MISSING in the sorted result.
    package enum Nulls: String, Sendable, CaseIterable {
        case first = "NULLS FIRST"
        case last = "NULLS LAST"
    }

    package var expression: Expression
    /// The direction of the term as it is written; nil, if none is written, stands for ascending.
    package var direction: Direction?
    /// The position of NULL and MISSING in the sorted result; nil if it follows from the order of values.
    package var nulls: Nulls?
    /// The position of the expression in the query's text.
    package var position: SourcePosition

    package init(
        _ expression: Expression, _ direction: Direction? = nil, nulls: Nulls? = nil,
        at position: SourcePosition = .none
    ) {
        self.expression = expression
        self.direction = direction
        self.nulls = nulls
        self.position = position
    }
}
