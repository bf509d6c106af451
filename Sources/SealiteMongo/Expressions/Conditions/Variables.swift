internal import SealiteValues

extension ExpressionOperator {
    /// The operators `$literal`, `$const`, `$let`, `$expr` and `$rand`.
    static let variables: [ExpressionOperator] = [
        .init("$literal") { operand, _ in .constant(operand) },
        .init("$const") { operand, _ in .constant(operand) },
        .init("$let", parsing: let_),
        .init("$expr") { operand, parser in try parser.parse(operand) },
        .init("$rand") { operand, parser in
            _ = try parser.arguments(of: "$rand", operand.isEmptyDocument ? .array([]) : operand, 0...0)
            return .form { _ in .double(Double.random(in: 0..<1)) }
        },
    ]

    @Sendable private static func let_(_ operand: BSON, _ parser: ExpressionParser) throws -> ExpressionNode {
        let operands = try NamedOperands(operand, of: "$let", ["vars", "in"], required: ["vars", "in"], code: 16874)
        guard case .document(let given) = operands["vars"], let body = operands["in"] else {
            throw MongoError(code: 10065, "$let takes an object as 'vars'.")
        }
        try given.keys.forEach(ExpressionParser.checkVariable)
        let values = try given.map { try parser.parse($0.value) }
        let (inner, slots) = parser.binding(given.keys)
        let result = try inner.parse(body)
        return .form { evaluation in
            let computed = try values.map { try $0.value(evaluation) }
            for (slot, value) in zip(slots, computed) { evaluation.slots[slot] = value }
            return try result.value(evaluation)
        }
    }
}

extension BSON {
    /// A Boolean value that says whether the value is a document without members.
    var isEmptyDocument: Bool { if case .document(let document) = self { document.isEmpty } else { false } }
}
