/// The condition `operand IN candidates`, or its negation with NOT.
package struct Membership: Sendable, Equatable {
    /// The values that the operand is compared with.
    package enum Candidates: Sendable, Equatable {
        /// A literal list: `(a, b)` or `[a, b]`.
        case list([Expression])
        /// The elements of an array, or the rows of a subquery. The expression is a subquery, which steps of a path may
        /// follow, or an operand that begins neither with a parenthesis nor with a bracket, since either would begin a
        /// list after IN.
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
