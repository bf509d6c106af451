/// A set operation, such as UNION, and its right operand.
package struct Combination: Sendable, Equatable {
    /// The set operations that can combine queries.
    package enum Operator: String, Sendable, CaseIterable {
        case union = "UNION"
        case intersect = "INTERSECT"
        case except = "EXCEPT"
    }

    package var op: Operator
    /// A Boolean value that says whether ALL is written, so that duplicate rows are kept.
    package var isAll: Bool
    package var operand: QueryOperand
    /// The position of the operator in the query's text.
    package var position: SourcePosition

    package init(
        _ op: Operator, isAll: Bool = false, _ operand: QueryOperand, at position: SourcePosition = .none
    ) {
        self.op = op
        self.isAll = isAll
        self.operand = operand
        self.position = position
    }
}
