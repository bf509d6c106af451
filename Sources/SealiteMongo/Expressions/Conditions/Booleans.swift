internal import SealiteValues

extension ExpressionOperator {
    /// The Boolean operators `$and`, `$or` and `$not`. `$and` and `$or` stop at the first argument that determines the
    /// result.
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

    /// Returns the result of `$and` or `$or` if all arguments are constants; otherwise nil. `deciding` is the value
    /// that determines the result if one argument has it: false for `$and`, true for `$or`.
    private static func decided(_ nodes: [ExpressionNode], _ deciding: Bool) -> Bool? {
        let values = nodes.compactMap(\.constant)
        return values.count == nodes.count ? values.contains { $0.isTrue == deciding } == deciding : nil
    }
}
