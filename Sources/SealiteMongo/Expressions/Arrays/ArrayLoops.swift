internal import SealiteValues

extension ExpressionOperator {
    /// The operators that evaluate an expression for each item of an array: `$map`, `$filter` and `$reduce`.
    static let arrayLoops: [ExpressionOperator] = [
        .init("$map", parsing: map),
        .init("$filter", parsing: filter),
        .init("$reduce", parsing: reduce),
    ]

    private static let mapCodes = OperandCodes(shape: 16878, unknown: 16879, absent: 16880, absentByName: ["in": 16882])
    private static let filterCodes = OperandCodes(
        shape: 28646, unknown: 28647, absent: 28648, absentByName: ["cond": 28650])
    private static let reduceCodes = OperandCodes(
        shape: 40075, unknown: 40076, absent: 40077, absentByName: ["initialValue": 40078, "in": 40079])

    /// Returns a parser with the variable for an item in scope, which the operand `as` names (`this` by default), and
    /// the index of this variable in `Evaluation.slots`.
    private static func item(_ operands: NamedOperands, _ parser: ExpressionParser) throws -> (ExpressionParser, Int) {
        let name: String
        switch operands["as"] {
        case nil: name = "this"
        case .string(let given): name = given
        case let other:
            throw MongoError.failedToParse("'as' must be a string, the name of a variable, not \(other.typeName).")
        }
        try require(!name.isEmpty, 9, "'as', the name of a variable, is empty.")
        try ExpressionParser.checkVariable(name)
        let (inner, slots) = parser.binding([name])
        return (inner, slots[0])
    }

    @Sendable private static func map(_ operand: BSON, _ parser: ExpressionParser) throws -> ExpressionNode {
        let operands = try NamedOperands(operand, of: "$map", ["input", "as?", "in"], code: mapCodes)
        let input = try operands.node("input", parser)
        let (inner, slot) = try item(operands, parser)
        let result = try operands.node("in", inner)
        return .form { evaluation in
            guard let items = try Arrays.items(try input.value(evaluation), "$map", 16883) else { return .null }
            var room = ValueSizeLimit(evaluation.work)
            return .array(
                try items.map { item in
                    try evaluation.step()
                    evaluation.slots[slot] = item
                    let value = try result.value(evaluation) ?? .null
                    try room.add(value)
                    return value
                })
        }
    }

    @Sendable private static func filter(_ operand: BSON, _ parser: ExpressionParser) throws -> ExpressionNode {
        let operands = try NamedOperands(operand, of: "$filter", ["input", "as?", "cond", "limit?"], code: filterCodes)
        let input = try operands.node("input", parser)
        let (inner, slot) = try item(operands, parser)
        let condition = try operands.node("cond", inner)
        let limit = try operands["limit"].map(parser.parse)
        if let constant = limit?.constant { _ = try Self.limit(constant) }
        return .form { evaluation in
            guard let items = try Arrays.items(try input.value(evaluation), "$filter", 28651) else { return .null }
            let limit = try limit.map { try Self.limit($0.value(evaluation)) } ?? .max
            var kept: [BSON] = []
            for item in items {
                try evaluation.step()
                evaluation.slots[slot] = item
                if try condition.value(evaluation).isTrue { kept.append(item) }
                if kept.count >= limit { break }
            }
            return .array(kept)
        }
    }

    private static func limit(_ value: BSON?) throws -> Int {
        if value.isNullish { return .max }
        let limit = try require(value.exactInt32, 327391, "$filter takes a 32-bit integer as 'limit'.")
        try require(limit > 0, 327392, "$filter takes a positive 'limit'.")
        return limit
    }

    @Sendable private static func reduce(_ operand: BSON, _ parser: ExpressionParser) throws -> ExpressionNode {
        let operands = try NamedOperands(operand, of: "$reduce", ["input", "initialValue", "in"], code: reduceCodes)
        let input = try operands.node("input", parser)
        let start = try operands.node("initialValue", parser)
        let (inner, slots) = parser.binding(["this", "value"])
        let step = try operands.node("in", inner)
        return .form { evaluation in
            guard let items = try Arrays.items(try input.value(evaluation), "$reduce", 40080) else { return .null }
            var value = try start.value(evaluation)
            for item in items {
                try evaluation.step()
                evaluation.slots[slots[0]] = item
                evaluation.slots[slots[1]] = value
                value = try step.value(evaluation)
                // An iteration may nest the previous value in an array, or insert it twice, so that the value grows
                // with each iteration.
                try value?.checkSize(evaluation.work)
            }
            return value
        }
    }
}

extension ExpressionOperator {
    /// The operators that sort an array, or return several of its first, last, lowest or highest items.
    static let ranking: [ExpressionOperator] = [
        .init("$sortArray", parsing: sortArray),
        several("$firstN") { items, count, _ in Array(items.prefix(count)) },
        several("$lastN") { items, count, _ in items.suffix(count) },
        several("$minN") { items, count, work in
            Array(try items.filter { !$0.isNullish }.sorted { try work.compare($0, $1) < 0 }.prefix(count))
        },
        several("$maxN") { items, count, work in
            Array(try items.filter { !$0.isNullish }.sorted { try work.compare($0, $1) > 0 }.prefix(count))
        },
    ]

    @Sendable private static func sortArray(_ operand: BSON, _ parser: ExpressionParser) throws -> ExpressionNode {
        let codes = OperandCodes(
            shape: 2_942_500, unknown: 2_942_501, absent: 2_942_502, absentByName: ["sortBy": 2_942_503])
        let operands = try NamedOperands(operand, of: "$sortArray", ["input", "sortBy"], code: codes)
        let order = try SortOrder(ofItems: operands["sortBy"] ?? .null)
        let input = try operands.node("input", parser)
        return .call(
            { arguments in
                guard let items = try Arrays.items(arguments[0], "$sortArray", 2942504) else { return .null }
                return .array(try order.sorted(items, arguments.work))
            }, [input])
    }

    private static func several(
        _ name: String, _ choose: @escaping @Sendable ([BSON], Int, WorkMeter) throws -> [BSON]
    ) -> ExpressionOperator {
        .init(name, named: ["input", "n"], code: 5787900) { arguments in
            let count = try Ranking.count(arguments[1], name)
            let items = try requireArray(arguments[0], 5788200, "\(name) takes an array")
            return .array(try choose(items, count, arguments.work))
        }
    }
}

/// Checks that the operators that return several items share.
enum Ranking {
    /// Returns the value of the argument `n` of the accumulator `name`; throws `MongoError` if it isn't a positive
    /// integer.
    static func groupCount(_ value: BSON?, _ name: String) throws -> Int {
        let number = BSONNumber(value)?.exactInteger.flatMap { $0 > 0 ? Int($0) : nil }
        return try require(number, 7_548_606, "\(name) takes a positive integer as 'n', not \(value.typeName).")
    }

    /// Returns the value of the argument `n` of the operator `name`; throws `MongoError` if it isn't a positive
    /// integer.
    static func count(_ value: BSON?, _ name: String) throws -> Int {
        let number = try require(
            BSONNumber(value)?.exactInteger, 5787902, "\(name) takes an integer as 'n', not \(value.typeName).")
        try require(number > 0, 5787908, "\(name) takes a positive 'n'.")
        return Int(number)
    }
}
