/// A binary operator and its right operand, in a chain of operators of one precedence.
package struct OperationLink: Sendable, Equatable {
    package var op: BinaryOperator
    package var operand: Expression

    package init(_ op: BinaryOperator, _ operand: Expression) {
        self.op = op
        self.operand = operand
    }
}
