/// The condition `operand BETWEEN lower AND upper`, both bounds included, or its negation with NOT.
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
