internal import SealiteValues

extension WindowFunctionKind {
    /// The window functions `$rank`, `$denseRank` and `$documentNumber`, and `$shift`, which returns the value of a row
    /// at a distance.
    static let ranks: [WindowFunctionKind] = [
        rank("$rank", .rank), rank("$denseRank", .denseRank), rank("$documentNumber", .number),
        .init("$shift") { operand, window, order, parser in
            let operands = try NamedOperands(
                operand, of: "$shift", ["output", "by", "default"], required: ["output", "by"])
            guard window == nil else { throw MongoError(code: 9, "$shift takes no 'window'.") }
            guard order != nil else { throw MongoError(code: 9, "$shift needs 'sortBy'.") }
            guard let distance = operands["by"].exactInt32 else {
                throw MongoError(code: 9, "$shift takes a 32-bit integer as 'by'.")
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
                throw MongoError(
                    code: 5371602, "\(name) needs 'sortBy'\(kind == .number ? "" : " with exactly one key").")
            }
            return Rank(kind: kind, order: order)
        }
    }
}
