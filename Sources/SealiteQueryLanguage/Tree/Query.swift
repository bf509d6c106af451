/// A query: one SELECT, or several that set operations combine, with the order and the limits of the result.
package struct Query: Sendable, Equatable {
    /// The common tables of the WITH clause.
    package var commonTables: [CommonTable]
    /// A Boolean value that says whether RECURSIVE is written, so that common tables may refer to themselves.
    package var isRecursive: Bool
    /// The first operand of the set operations, or the only SELECT.
    package var first: QueryOperand
    /// The set operations that follow the first operand, applied from left to right.
    package var combinations: [Combination]
    package var order: [OrderTerm]
    package var limit: Expression?
    package var offset: Expression?

    package init(
        _ first: QueryOperand, _ combinations: [Combination] = [], with commonTables: [CommonTable] = [],
        isRecursive: Bool = false, order: [OrderTerm] = [], limit: Expression? = nil, offset: Expression? = nil
    ) {
        self.first = first
        self.combinations = combinations
        self.commonTables = commonTables
        self.isRecursive = isRecursive
        self.order = order
        self.limit = limit
        self.offset = offset
    }

    /// Creates a query of one SELECT.
    package init(_ select: Select) { self.init(.select(select)) }
}
