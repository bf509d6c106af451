/// The condition `operand LIKE pattern ESCAPE escape`, or its negation with NOT.
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
