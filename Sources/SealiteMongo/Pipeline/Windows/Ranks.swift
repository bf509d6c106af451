internal import SealiteValues

extension WindowFunctionKind {
    /// The window functions `$rank`, `$denseRank` and `$documentNumber`, and `$shift`, which returns the value of a row
    /// at a distance.
    static let ranks: [WindowFunctionKind] = [
        rank("$rank", .rank), rank("$denseRank", .denseRank), rank("$documentNumber", .number),
        .init("$shift") { operand, window, order, parser in
            let operands = try NamedOperands(operand, of: "$shift", ["output", "by", "default?"])
            try require(window == nil, 9, "$shift takes no 'window'.")
            try require(order != nil, 9, "$shift needs 'sortBy'.")
            let distance = try require(operands["by"].exactInt32, 9, "$shift takes a 32-bit integer as 'by'.")
            let fallback = try parser.parse(operands["default"] ?? .null)
            let constant = try require(fallback.constant, 9, "$shift takes a constant as 'default'.")
            return Shift(
                output: try parser.parse(operands["output"] ?? .null), distance: distance, fallback: constant ?? .null)
        },
    ]

    private static func rank(_ name: String, _ kind: Rank.Kind) -> WindowFunctionKind {
        .init(name) { operand, window, order, _ in
            try require(window == nil, 5_371_601, "\(name) takes no 'window'.")
            try require(operand.isEmptyDocument, 5_371_603, "\(name) takes an empty object.")
            guard let order, order.keys.count == 1 else {
                throw MongoError(code: 5_371_602, "\(name) needs 'sortBy' with exactly one key.")
            }
            return Rank(kind: kind, order: order)
        }
    }
}

/// The window functions `$rank`, `$denseRank` and `$documentNumber`: the rank or the number of a row in its partition,
/// from 1.
struct Rank: WindowFunction {
    enum Kind: Sendable { case rank, denseRank, number }

    let kind: Kind
    let order: SortOrder

    func visitValues(of partition: Partition, _ evaluation: Evaluation, _ memory: MemoryBudget, _ body: Visit) throws {
        var (rank, dense) = (0, 0)
        for index in partition.rows.indices {
            let work = evaluation.work
            if try index == 0 || order.compare(partition.values[index - 1], partition.values[index], work) != 0 {
                (rank, dense) = (index + 1, dense + 1)
            }
            switch kind {
            case .rank: try body(BSON(rank))
            case .denseRank: try body(BSON(dense))
            case .number: try body(BSON(index + 1))
            }
        }
    }
}

/// The window function `$shift`: the value of the row at a distance, or a default if there is no such row.
struct Shift: WindowFunction {
    let output: ExpressionNode
    let distance: Int
    let fallback: BSON

    func visitValues(of partition: Partition, _ evaluation: Evaluation, _ memory: MemoryBudget, _ body: Visit) throws {
        for place in partition.rows.indices.map({ $0 + distance }) {
            guard partition.rows.indices.contains(place) else {
                try body(fallback)
                continue
            }
            evaluation.row = partition.rows[place]
            try body(try output.value(evaluation) ?? .null)
        }
    }
}
