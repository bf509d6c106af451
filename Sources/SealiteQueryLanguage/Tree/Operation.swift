/// A chain of binary operators of one precedence, applied from left to right: `a + b - c`.
package struct Operation: Sendable, Equatable {
    /// The leftmost operand.
    package var first: Expression
    /// The operators with their right operands, at least one.
    package var links: [OperationLink]

    /// The precedence that all operators share.
    package var level: Precedence { links.first?.op.level ?? .operand }

    package init(first: Expression, links: [OperationLink]) {
        self.first = first
        self.links = links
    }
}
