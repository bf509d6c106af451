/// An operand of a set operation such as UNION, or the only SELECT of a query.
package indirect enum QueryOperand: Sendable, Equatable {
    case select(Select)
    /// A query in parentheses.
    case query(Query)
}
