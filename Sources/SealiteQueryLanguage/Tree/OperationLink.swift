/// A binary operator and its right operand.
package struct OperationLink: Sendable, Equatable {
    package var op: BinaryOperator
    package var operand: Expression

    package init(_ op: BinaryOperator, _ operand: Expression) {
        self.op = op
        self.operand = operand
    }
}
