internal import SealiteValues

extension ExpressionOperator {
    /// Boolean operators. `$and` and `$or` stop at the first argument that determines the result.
    static let booleans: [ExpressionOperator] = [
        .init("$and") { try junction("$and", $0, $1, deciding: false) },
        .init("$or") { try junction("$or", $0, $1, deciding: true) },
        .init("$not") { .bool(!$0.isTrue) },
    ]

    private static func junction(
        _ name: String, _ operand: BSON, _ parser: ExpressionParser, deciding: Bool
    ) throws -> ExpressionNode {
        let nodes = try parser.arguments(of: name, operand, 0...)
        if let value = decided(nodes, deciding) { return .constant(.bool(value)) }
        return .form { evaluation in
            for node in nodes where try node.value(evaluation).isTrue == deciding { return .bool(deciding) }
            return .bool(!deciding)
        }
    }

    /// Returns the result if constants determine it; nil if the result depends on the row.
    private static func decided(_ nodes: [ExpressionNode], _ deciding: Bool) -> Bool? {
        let values = nodes.compactMap(\.constant)
        return values.count == nodes.count ? values.contains { $0.isTrue == deciding } == deciding : nil
    }
}
