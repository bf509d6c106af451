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
            let codes = OperandCodes(
                shape: 5_788_001, unknown: 5_788_002, absent: 5_788_001, absentByName: ["n": 5_788_003])
            let operands = try NamedOperands(operand, of: name, names, code: codes)
            let given = try require(operands["sortBy"].members, 10065, "\(name) takes an object as 'sortBy'.")
            let order = try SortOrder(.document(given))
            let output = try parser.parse(operands["output"] ?? .null)
            let count = isSeveral ? try constantCount(operands["n"], name, parser) : .constant(.int32(1))
            // A row's input is its sort values followed by its output.
            let input = ExpressionNode.form { evaluation in
                .array(order.values(of: evaluation.row) + [try output.value(evaluation) ?? .null])
            }
            return AccumulatorSpecification(input) { evaluation in
                SortedAccumulator(
                    order, count: try Ranking.groupCount(count.value(evaluation), name), isLast: isLast,
                    isSeveral: isSeveral, evaluation.work)
            }
        }
    }
}

/// The accumulator of `$top`, `$topN`, `$bottom` and `$bottomN`.
///
/// Up to twice the requested number of entries are kept, so that the amortized cost of a selection is small.
final class SortedAccumulator: Accumulator {
    /// The sort values of a row followed by its output value, and the row's position in the input.
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
    private let work: WorkMeter

    init(_ order: SortOrder, count: Int, isLast: Bool, isSeveral: Bool, _ work: WorkMeter) {
        (self.order, self.count, self.isLast, self.isSeveral) = (order, count, isLast, isSeveral)
        self.work = work
    }

    func add(_ value: BSON?) throws -> Int {
        guard case .array(let values) = value else { return 0 }
        entries.append(Entry(values: values, number: added))
        added += 1
        let growth = value?.memoryByteCount ?? 0
        guard entries.count / 2 >= count else { return growth }
        let before = Self.byteCount(entries)
        entries = try chosen()
        return growth - (before - Self.byteCount(entries))
    }

    private static func byteCount(_ entries: [Entry]) -> Int {
        entries.reduce(0) { $0 + BSON.array($1.values).memoryByteCount }
    }

    /// Returns the requested entries, from the start of the sort order or, if `isLast`, from its end, in the sort
    /// order. Of equal entries those of earlier rows are chosen.
    private func chosen() throws -> [Entry] {
        let sorted = try entries.sorted { left, right in
            let place = try order.compare(left.values, right.values, work)
            return place == 0 ? (left.number < right.number) != isLast : place < 0
        }
        return isLast ? sorted.suffix(count) : Array(sorted.prefix(count))
    }

    func result() throws -> BSON {
        let outputs = try chosen().compactMap(\.values.last)
        return isSeveral ? .array(outputs) : outputs.first ?? .null
    }
}

extension AccumulatorKind {
    /// The accumulators `$firstN`, `$lastN`, `$minN` and `$maxN`.
    static let several: [AccumulatorKind] = [
        several("$firstN", .first), several("$lastN", .last), several("$minN", .lowest), several("$maxN", .highest),
    ]

    private static func several(_ name: String, _ choice: SeveralAccumulator.Choice) -> AccumulatorKind {
        .init(name) { operand, parser in
            let codes = OperandCodes(
                shape: 5_787_900, unknown: 5_787_901, absent: 5_787_907, absentByName: ["n": 5_787_906])
            let operands = try NamedOperands(operand, of: name, ["input", "n"], code: codes)
            let count = try constantCount(operands["n"], name, parser)
            let input = try parser.parse(operands["input"] ?? .null)
            return AccumulatorSpecification(input) { evaluation in
                SeveralAccumulator(
                    choice, count: try Ranking.groupCount(count.value(evaluation), name), evaluation.work)
            }
        }
    }

    /// Returns the expression of the argument `n`, the number of values to keep; throws `MongoError` if it is a
    /// constant other than a positive integer.
    static func constantCount(_ value: BSON?, _ name: String, _ parser: ExpressionParser) throws -> ExpressionNode {
        let node = try parser.parse(value ?? .null)
        if let constant = node.constant { _ = try Ranking.groupCount(constant, name) }
        return node
    }
}

/// The accumulator of `$firstN`, `$lastN`, `$minN` and `$maxN`.
///
/// Up to twice the requested number of values are kept, so that the amortized cost of a selection is small.
final class SeveralAccumulator: Accumulator {
    enum Choice: Sendable { case first, last, lowest, highest }

    private let choice: Choice
    private let count: Int
    private var values: [BSON] = []
    private let work: WorkMeter

    init(_ choice: Choice, count: Int, _ work: WorkMeter) {
        (self.choice, self.count, self.work) = (choice, count, work)
    }

    func add(_ value: BSON?) throws -> Int {
        switch choice {
        case .first: guard values.count < count else { return 0 }
        case .last: break
        case .lowest, .highest: guard !value.isNullish else { return 0 }
        }
        let value = value ?? .null
        values.append(value)
        guard values.count / 2 >= count else { return value.memoryByteCount }
        let before = values
        values = try chosen()
        return value.memoryByteCount - (Self.byteCount(before) - Self.byteCount(values))
    }

    private static func byteCount(_ values: [BSON]) -> Int { values.reduce(0) { $0 + $1.memoryByteCount } }

    /// Returns the requested values among those that are kept; of equal values the earlier ones are chosen.
    private func chosen() throws -> [BSON] {
        switch choice {
        case .first: values
        case .last: values.suffix(count)
        case .lowest: Array(try values.sorted { try work.compare($0, $1) < 0 }.prefix(count))
        case .highest: Array(try values.sorted { try work.compare($0, $1) > 0 }.prefix(count))
        }
    }

    func result() throws -> BSON { .array(try chosen()) }
}
