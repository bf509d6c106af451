/// `operand LIKE pattern ESCAPE escape`
package struct Like: Sendable, Equatable {
    package var operand: Expression
    package var pattern: Expression
    /// The expression of the escape character; nil stands for the backslash.
    package var escape: Expression?
    package var isNegated: Bool

    package init(_ operand: Expression, _ pattern: Expression, escape: Expression? = nil, isNegated: Bool = false) {
        self.operand = operand
        self.pattern = pattern
        self.escape = escape
        self.isNegated = isNegated
    }
}

/// `operand BETWEEN lower AND upper`, both bounds included.
package struct Between: Sendable, Equatable {
    package var operand: Expression
    package var lower: Expression
    package var upper: Expression
    package var isNegated: Bool

    package init(_ operand: Expression, _ lower: Expression, _ upper: Expression, isNegated: Bool = false) {
        self.operand = operand
        self.lower = lower
        self.upper = upper
        self.isNegated = isNegated
    }
}

/// `operand IN candidates`
package struct Membership: Sendable, Equatable {
    /// The values that the operand is compared with.
    package enum Candidates: Sendable, Equatable {
        /// A literal list: `(a, b)` or `[a, b]`.
        case list([Expression])
        /// The elements of an array, or the rows of a subquery. The expression is a subquery, or an operand that begins
        /// with neither parenthesis nor bracket: after IN, those begin a list.
        case elements(Expression)
    }

    package var operand: Expression
    package var candidates: Candidates
    package var isNegated: Bool

    package init(_ operand: Expression, _ candidates: Candidates, isNegated: Bool = false) {
        self.operand = operand
        self.candidates = candidates
        self.isNegated = isNegated
    }
}
