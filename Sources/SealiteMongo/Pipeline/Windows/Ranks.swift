internal import SealiteValues

extension WindowFunctionKind {
    /// The rank of a row in its partition, and the values of rows at a distance.
    static let ranks: [WindowFunctionKind] = [
        rank("$rank", .rank), rank("$denseRank", .denseRank), rank("$documentNumber", .number),
        .init("$shift") { operand, window, order, parser in
            let operands = try NamedOperands(
                operand, of: "$shift", ["output", "by", "default"], required: ["output", "by"])
            guard window == nil else { throw MongoError(code: 9, "$shift takes no 'window'.") }
            guard order != nil else { throw MongoError(code: 9, "$shift needs 'sortBy'.") }
            guard let distance = operands["by"].exactInt32 else {
                throw MongoError(code: 9, "$shift takes an integer as 'by'.")
            }
            let fallback = try parser.parse(operands["default"] ?? .null)
            guard let constant = fallback.constant else {
                throw MongoError(code: 9, "$shift takes a constant as 'default'.")
            }
            return Shift(
                output: try parser.parse(operands["output"] ?? .null), distance: distance, fallback: constant ?? .null)
        },
    ]

    private static func rank(_ name: String, _ kind: Rank.Kind) -> WindowFunctionKind {
        .init(name) { operand, window, order, _ in
            guard operand.isEmptyDocument, window == nil else {
                throw MongoError(code: 5371601, "\(name) takes an empty object, and no 'window'.")
            }
            guard let order, kind == .number || order.keys.count == 1 else {
                throw MongoError(code: 5371602, "\(name) needs 'sortBy' with one key.")
            }
            return Rank(kind: kind, order: order)
        }
    }
}

/// `$rank`, `$denseRank` and `$documentNumber`.
struct Rank: WindowFunction {
    enum Kind: Sendable { case rank, denseRank, number }

    let kind: Kind
    let order: SortOrder

    func values(_ partition: Partition, _ evaluation: Evaluation) -> [BSON?] {
        var (rank, dense) = (0, 0)
        return partition.rows.indices.map { index in
            if index == 0 || order.compare(partition.values[index - 1], partition.values[index]) != 0 {
                (rank, dense) = (index + 1, dense + 1)
            }
            switch kind {
            case .rank: return BSON(rank)
            case .denseRank: return BSON(dense)
            case .number: return BSON(index + 1)
            }
        }
    }
}

/// `$shift`.
struct Shift: WindowFunction {
    let output: ExpressionNode
    let distance: Int
    let fallback: BSON

    func values(_ partition: Partition, _ evaluation: Evaluation) throws -> [BSON?] {
        try partition.rows.indices.map { index in
            let place = index + distance
            guard partition.rows.indices.contains(place) else { return fallback }
            evaluation.row = partition.rows[place]
            return try output.value(evaluation) ?? .null
        }
    }
}
