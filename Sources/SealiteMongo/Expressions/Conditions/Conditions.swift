internal import SealiteValues

extension ExpressionOperator {
    /// The conditional operators `$cond`, `$ifNull` and `$switch`, which evaluate only the branch that they choose.
    static let conditions: [ExpressionOperator] = [
        .init("$cond", parsing: condition),
        .init("$ifNull", parsing: firstNotNull),
        .init("$switch", parsing: choice),
    ]

    @Sendable private static func condition(_ operand: BSON, _ parser: ExpressionParser) throws -> ExpressionNode {
        let nodes: [ExpressionNode]
        if case .document = operand {
            let names = ["if", "then", "else"]
            let operands = try NamedOperands(operand, of: "$cond", names, required: Set(names), code: 17080)
            nodes = try names.compactMap { try operands[$0].map(parser.parse) }
        } else {
            nodes = try parser.arguments(of: "$cond", operand, 3...3)
        }
        if let value = nodes[0].constant { return value.isTrue ? nodes[1] : nodes[2] }
        return .form { try (nodes[0].value($0).isTrue ? nodes[1] : nodes[2]).value($0) }
    }

    @Sendable private static func firstNotNull(_ operand: BSON, _ parser: ExpressionParser) throws -> ExpressionNode {
        let nodes = try parser.arguments(of: "$ifNull", operand, 2...)
        return .form { evaluation in
            for node in nodes.dropLast() {
                let value = try node.value(evaluation)
                if !value.isNullish { return value }
            }
            return try nodes[nodes.count - 1].value(evaluation)
        }
    }

    @Sendable private static func choice(_ operand: BSON, _ parser: ExpressionParser) throws -> ExpressionNode {
        let operands = try NamedOperands(
            operand, of: "$switch", ["branches", "default"], required: [], code: 40060)
        guard let given = operands["branches"], case .array(let items) = given else {
            throw MongoError(code: 40061, "$switch needs an array as 'branches'.")
        }
        guard !items.isEmpty else { throw MongoError(code: 40068, "$switch needs at least one branch in 'branches'.") }
        let branches = try items.map { try branch($0, parser) }
        let fallback = try operands["default"].map(parser.parse)
        return .form { evaluation in
            for branch in branches where try branch.condition.value(evaluation).isTrue {
                return try branch.result.value(evaluation)
            }
            guard let fallback else {
                throw MongoError(code: 40066, "$switch found no branch whose 'case' is true, and has no 'default'.")
            }
            return try fallback.value(evaluation)
        }
    }

    private static func branch(
        _ item: BSON, _ parser: ExpressionParser
    ) throws -> (condition: ExpressionNode, result: ExpressionNode) {
        let names = ["case", "then"]
        let operands = try NamedOperands(item, of: "A branch of $switch", names, required: Set(names), code: 40067)
        let nodes = try names.compactMap { try operands[$0].map(parser.parse) }
        return (nodes[0], nodes[1])
    }
}
