/// An operand of a set operation.
package indirect enum QueryOperand: Sendable, Equatable {
    case select(Select)
    /// A query in parentheses.
    case query(Query)
}
