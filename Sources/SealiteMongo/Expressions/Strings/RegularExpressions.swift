internal import SealiteFunctions
internal import SealiteValues

extension ExpressionOperator {
    /// The operators `$regexMatch`, `$regexFind` and `$regexFindAll`.
    static let regularExpressions: [ExpressionOperator] = [
        regex("$regexMatch", null: .bool(false)) { .bool(try $0.matches(limit: 1).isEmpty == false) },
        regex("$regexFind", null: .null) { try $0.matches(limit: 1).first ?? .null },
        regex("$regexFindAll", null: .array([])) { .array(try $0.matches(limit: .max)) },
    ]

    private static let names = ["input", "regex", "options"]

    private static func regex(
        _ name: String, null: BSON, _ result: @escaping @Sendable (RegexSearch) throws -> BSON
    ) -> ExpressionOperator {
        .init(name) { operand, parser in
            let operands = try NamedOperands(operand, of: name, names, required: ["input", "regex"], code: 51022)
            let nodes = try names.map { try operands[$0].map(parser.parse) ?? .constant(nil) }
            let form: ExpressionNode.Form = { evaluation in
                let arguments = try nodes.map { try $0.value(evaluation) }
                let regex = try RegexSearch.regex(arguments[1], arguments[2], name)
                guard let text = try RegexSearch.input(arguments[0], name), let regex else { return null }
                let expression = try evaluation.patterns.expression(of: regex, name)
                return try result(RegexSearch(text: text, expression: expression, name: name))
            }
            // Constant patterns are compiled once, when the expression is parsed, so that an invalid pattern is refused
            // before the first row.
            if nodes.allSatisfy({ $0.constant != nil }) {
                return .constant(try form(Evaluation(Row([:]), slotCount: 0, now: DateTime(milliseconds: 0))))
            }
            if let pattern = nodes[1].constant, let options = nodes[2].constant,
                let regex = try RegexSearch.regex(pattern, options, name)
            {
                _ = try PatternCache().expression(of: regex, name)
            }
            return .form(form)
        }
    }
}
