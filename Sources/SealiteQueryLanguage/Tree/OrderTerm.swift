/// An expression of ORDER BY.
package struct OrderTerm: Sendable, Equatable {
    /// The direction as written.
    package enum Direction: String, Sendable, CaseIterable {
        case ascending = "ASC"
        case descending = "DESC"
    }

    /// The position of NULL and MISSING in the result.
    package enum Nulls: String, Sendable, CaseIterable {
        case first = "NULLS FIRST"
        case last = "NULLS LAST"
    }

    package var expression: Expression
    /// The direction; nil stands for ascending.
    package var direction: Direction?
    /// The position of NULL and MISSING in the result; nil for the order of values.
    package var nulls: Nulls?

    package init(_ expression: Expression, _ direction: Direction? = nil, nulls: Nulls? = nil) {
        self.expression = expression
        self.direction = direction
        self.nulls = nulls
    }
}
