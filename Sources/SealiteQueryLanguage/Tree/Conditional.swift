/// A conditional expression: `CASE operand WHEN … THEN … ELSE … END`. With an operand, the result is that of the first
/// branch whose value equals it; without one, that of the first branch whose condition is true.
package struct Conditional: Sendable, Equatable {
    /// One `WHEN … THEN …`: a condition, or a value to compare with the operand; and the result.
    package struct Branch: Sendable, Equatable {
        package var condition: Expression
        package var result: Expression

        package init(when condition: Expression, then result: Expression) {
            self.condition = condition
            self.result = result
        }
    }

    package var operand: Expression?
    /// The branches in the order in which they are tried, at least one.
    package var branches: [Branch]
    package var otherwise: Expression?

    package init(_ operand: Expression? = nil, _ branches: [Branch], otherwise: Expression? = nil) {
        self.operand = operand
        self.branches = branches
        self.otherwise = otherwise
    }
}
