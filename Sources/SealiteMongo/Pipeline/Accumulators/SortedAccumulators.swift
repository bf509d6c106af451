internal import SealiteValues

extension AccumulatorKind {
    /// The first and last values by a sort order of their rows.
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
                    order, count: try Ranking.count(count.value(evaluation), name), isLast: isLast, isSeveral: isSeveral
                )
            }
        }
    }
}

/// `$top`, `$topN`, `$bottom` and `$bottomN`.
///
/// Up to twice the requested number of entries are kept, so that the amortized cost of a selection is small.
final class SortedAccumulator: Accumulator {
    /// The sort values of a row followed by its output, and the number of the row.
    private struct Entry {
        let values: [BSON]
        let number: Int
    }

    private let order: SortOrder
    private let count: Int
    private let isLast: Bool
    private let isSeveral: Bool
    private var entries: [Entry] = []
    private var added = 0

    init(_ order: SortOrder, count: Int, isLast: Bool, isSeveral: Bool) {
        (self.order, self.count, self.isLast, self.isSeveral) = (order, count, isLast, isSeveral)
    }

    func add(_ value: BSON?) -> Int {
        guard case .array(let values) = value else { return 0 }
        entries.append(Entry(values: values, number: added))
        added += 1
        let growth = value?.memoryByteCount ?? 0
        guard entries.count / 2 >= count else { return growth }
        let before = Self.byteCount(entries)
        entries = chosen()
        return growth - (before - Self.byteCount(entries))
    }

    private static func byteCount(_ entries: [Entry]) -> Int {
        entries.reduce(0) { $0 + BSON.array($1.values).memoryByteCount }
    }

    /// Returns the requested entries in the sort order; among equal entries the earlier rows are closer to the
    /// requested end.
    private func chosen() -> [Entry] {
        let sorted = entries.sorted { left, right in
            let place = order.compare(left.values, right.values)
            return place == 0 ? (left.number < right.number) != isLast : place < 0
        }
        return isLast ? sorted.suffix(count) : Array(sorted.prefix(count))
    }

    func result() -> BSON {
        let outputs = chosen().compactMap(\.values.last)
        return isSeveral ? .array(outputs) : outputs.first ?? .null
    }
}
