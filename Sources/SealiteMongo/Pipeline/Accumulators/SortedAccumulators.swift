internal import SealiteValues

extension AccumulatorKind {
    /// The first and last values by an order of their rows.
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
            // A row gives the values of its place, and the output behind them.
            let input = ExpressionNode.form { evaluation in
                .array(order.values(of: evaluation.row) + [try output.value(evaluation) ?? .null])
            }
            return AccumulatorSpecification(input) { evaluation in
                SortedAccumulator(
                    order, count: try Ranking.count(count.value(evaluation), name), isLast: isLast, isSeveral: isSeveral
                )
            }
        }
    }
}

/// `$top`, `$topN`, `$bottom` and `$bottomN`.
final class SortedAccumulator: Accumulator {
    private let order: SortOrder
    private let count: Int
    private let isLast: Bool
    private let isSeveral: Bool
    private var entries: [[BSON]] = []

    init(_ order: SortOrder, count: Int, isLast: Bool, isSeveral: Bool) {
        (self.order, self.count, self.isLast, self.isSeveral) = (order, count, isLast, isSeveral)
    }

    func add(_ value: BSON?) -> Int {
        guard case .array(let entry) = value else { return 0 }
        // Of equal entries the first one is nearest to the end that is asked for.
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            let place = order.compare(entry, entries[middle])
            if isLast ? place <= 0 : place < 0 { high = middle } else { low = middle + 1 }
        }
        if entries.count == count, isLast ? low == 0 : low == count { return 0 }
        entries.insert(entry, at: low)
        let growth = value?.memoryByteCount ?? 0
        guard entries.count > count else { return growth }
        let removed = isLast ? entries.removeFirst() : entries.removeLast()
        return growth - BSON.array(removed).memoryByteCount
    }

    func result() -> BSON {
        let outputs = entries.compactMap(\.last)
        return isSeveral ? .array(outputs) : outputs.first ?? .null
    }
}
