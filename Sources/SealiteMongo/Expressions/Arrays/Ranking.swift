internal import SealiteValues

extension ExpressionOperator {
    /// The operators that sort an array, or return several of its first, last, lowest or highest items.
    static let ranking: [ExpressionOperator] = [
        .init("$sortArray", parsing: sortArray),
        several("$firstN") { items, count, _ in Array(items.prefix(count)) },
        several("$lastN") { items, count, _ in items.suffix(count) },
        several("$minN") { items, count, work in
            Array(
                try items.filter { !Optional($0).isNullish }.sorted { try work.compare($0, $1) < 0 }.prefix(count))
        },
        several("$maxN") { items, count, work in
            Array(
                try items.filter { !Optional($0).isNullish }.sorted { try work.compare($0, $1) > 0 }.prefix(count))
        },
    ]

    @Sendable private static func sortArray(_ operand: BSON, _ parser: ExpressionParser) throws -> ExpressionNode {
        let operands = try NamedOperands(
            operand, of: "$sortArray", ["input", "sortBy"], required: ["input", "sortBy"], code: 2942500)
        let order = try SortOrder(ofItems: operands["sortBy"] ?? .null)
        let input = try operands["input"].map(parser.parse) ?? .constant(nil)
        return .call(
            { arguments in
                guard let items = try Arrays.items(arguments[0], "$sortArray", 2942504) else { return .null }
                return .array(try order.sorted(items, arguments.work))
            }, [input])
    }

    private static func several(
        _ name: String, _ choose: @escaping @Sendable ([BSON], Int, WorkMeter) throws -> [BSON]
    ) -> ExpressionOperator {
        .init(name, named: ["input", "n"], required: ["input", "n"], code: 5787900) { arguments in
            let count = try Ranking.count(arguments[1], name)
            guard case .array(let items) = arguments[0] else {
                throw MongoError(code: 5788200, "\(name) takes an array, not \(arguments[0].typeName).")
            }
            return .array(try choose(items, count, arguments.work))
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
