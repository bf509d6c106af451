internal import SealiteValues

extension StageKind {
    /// The stage `$redact`, which restricts the content of documents level by level.
    static let redactions: [StageKind] = [
        .init("$redact") { specification, parser in
            switch specification {
            case .string, .document: break
            default: throw MongoError(code: 17053, "$redact takes an expression, not \(specification.type.alias).")
            }
            var expressions = parser.expressions
            for decision in RedactStage.Decision.allCases {
                expressions = expressions.binding(decision.rawValue, to: decision.value)
            }
            let (inner, slots) = expressions.binding(["CURRENT"])
            return RedactStage(node: try inner.parse(specification), current: slots[0])
        }
    ]
}
