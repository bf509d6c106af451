internal import SealiteValues

extension ExpressionOperator {
    /// The operators that sort an array, or return several of its first, last, lowest or highest items.
    static let ranking: [ExpressionOperator] = [
        .init("$sortArray", parsing: sortArray),
        several("$firstN") { Array($0.prefix($1)) },
        several("$lastN") { $0.suffix($1) },
        several("$minN") { items, count in
            Array(items.filter { !Optional($0).isNullish }.sorted { $0.compared(to: $1) < 0 }.prefix(count))
        },
        several("$maxN") { items, count in
            Array(items.filter { !Optional($0).isNullish }.sorted { $0.compared(to: $1) > 0 }.prefix(count))
        },
    ]

    @Sendable private static func sortArray(_ operand: BSON, _ parser: ExpressionParser) throws -> ExpressionNode {
        let operands = try NamedOperands(
            operand, of: "$sortArray", ["input", "sortBy"], required: ["input", "sortBy"], code: 2942500)
        let order = try SortOrder(ofItems: operands["sortBy"] ?? .null)
        let input = try operands["input"].map(parser.parse) ?? .constant(nil)
        return .call(
            { try Arrays.items($0[0], "$sortArray", 2942504).map { .array(order.sorted($0)) } ?? .null }, [input])
    }

    private static func several(
        _ name: String, _ choose: @escaping @Sendable ([BSON], Int) -> [BSON]
    ) -> ExpressionOperator {
        .init(name, named: ["input", "n"], required: ["input", "n"], code: 5787900) { arguments in
            let count = try Ranking.count(arguments[1], name)
            guard case .array(let items) = arguments[0] else {
                throw MongoError(code: 5788200, "\(name) takes an array, not \(arguments[0].typeName).")
            }
            return .array(choose(items, count))
        }
    }
}

/// Checks that the operators that return several items share.
enum Ranking {
    /// Returns the value of the argument `n` of the operator `name`; throws `MongoError` if it isn't a positive
    /// integer.
    static func count(_ value: BSON?, _ name: String) throws -> Int {
        guard let number = Number(value)?.exactInteger else {
            throw MongoError(code: 5787902, "\(name) takes an integer as 'n', not \(value.typeName).")
        }
        guard number > 0 else { throw MongoError(code: 5787908, "\(name) takes a positive 'n'.") }
        return Int(number)
    }
}
