public import SealiteValues

/// An aggregation expression, parsed once and evaluated for rows.
public struct AggregationExpression: Sendable {
    private let node: ExpressionNode
    private let slotCount: Int

    /// Creates the expression that a value specifies, such as `{"$add": ["$a", 1]}`.
    ///
    /// - Throws: `MongoError` for an unknown operator, a wrong number of arguments, or an argument that is invalid for
    ///   every row.
    public init(parsing value: BSON) throws {
        let slots = SlotCounter()
        node = try ExpressionParser(slots).parse(value)
        slotCount = slots.count
    }

    /// Returns the expression's value for a row; nil if it is missing. `now` is the value of `$$NOW`.
    public func value(of row: Row, now: DateTime) throws -> BSON? {
        try node.value(Evaluation(row, slotCount: slotCount, now: now))
    }
}
