internal import SealiteValues

extension AccumulatorKind {
    /// The accumulators `$top`, `$topN`, `$bottom` and `$bottomN`, which choose values by a sort order of their rows.
    static let sorted: [AccumulatorKind] = [
        sorted("$top", isSeveral: false, isLast: false), sorted("$topN", isSeveral: true, isLast: false),
        sorted("$bottom", isSeveral: false, isLast: true), sorted("$bottomN", isSeveral: true, isLast: true),
    ]

    private static func sorted(_ name: String, isSeveral: Bool, isLast: Bool) -> AccumulatorKind {
        .init(name) { operand, parser in
            let names = ["sortBy", "output"] + (isSeveral ? ["n"] : [])
            let operands = try NamedOperands(operand, of: name, names, required: Set(names), code: 5788001)
            guard case .document? = operands["sortBy"], let given = operands["sortBy"] else {
                throw MongoError(code: 10065, "\(name) takes an object as 'sortBy'.")
            }
            let order = try SortOrder(given)
            let output = try parser.parse(operands["output"] ?? .null)
            let count = isSeveral ? try constantCount(operands["n"], name, parser) : .constant(.int32(1))
            // A row's input is its sort values followed by its output.
            let input = ExpressionNode.form { evaluation in
                .array(order.values(of: evaluation.row) + [try output.value(evaluation) ?? .null])
            }
            return AccumulatorSpecification(input) { evaluation in
                SortedAccumulator(
                    order, count: try Ranking.count(count.value(evaluation), name), isLast: isLast,
                    isSeveral: isSeveral, evaluation.work)
            }
        }
    }
}
