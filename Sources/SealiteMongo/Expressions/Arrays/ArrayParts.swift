internal import SealiteValues

extension ExpressionOperator {
    /// The operators that return items or parts of arrays, such as `$arrayElemAt` and `$slice`.
    static let arrayParts: [ExpressionOperator] = [
        .init("$arrayElemAt", 2...2) { arguments in
            if arguments[0].isNullish || arguments[1].isNullish { return .null }
            guard let items = try Arrays.items(arguments[0], "$arrayElemAt", 28689) else { return .null }
            guard Number(arguments[1]) != nil else {
                throw MongoError(code: 28690, "$arrayElemAt takes a number as its index, not \(arguments[1].typeName).")
            }
            guard let index = arguments[1].exactInt32 else {
                throw MongoError(code: 28691, "$arrayElemAt takes a 32-bit integer as its index.")
            }
            let place = index < 0 ? items.count + index : index
            return items.indices.contains(place) ? items[place] : Optional.none
        },
        .init("$first") { argument in
            try Arrays.items(argument, "$first", 28689).map { $0.first } ?? .null
        },
        .init("$last") { argument in
            try Arrays.items(argument, "$last", 28689).map { $0.last } ?? .null
        },
        .init("$slice", 2...3, slice),
        .init("$zip", parsing: zip),
    ]

    @Sendable private static func slice(_ arguments: Arguments) throws -> BSON? {
        if arguments.contains(where: { $0.isNullish }) { return .null }
        guard let items = try Arrays.items(arguments[0], "$slice", 28724) else { return .null }
        let numbers = try arguments.dropFirst().map { argument in
            guard let number = argument.exactInt32 else {
                throw MongoError(code: 28725, "$slice takes 32-bit integers as its position and its count.")
            }
            return number
        }
        guard numbers.count > 1 else {
            let count = numbers[0]
            return .array(count < 0 ? items.suffix(-count) : Array(items.prefix(count)))
        }
        let (position, count) = (numbers[0], numbers[1])
        guard count > 0 else { throw MongoError(code: 28729, "$slice takes a positive number of items.") }
        let start = position < 0 ? max(0, items.count + position) : min(position, items.count)
        return .array(Array(items[start..<min(items.count, start + count)]))
    }

    @Sendable private static func zip(_ operand: BSON, _ parser: ExpressionParser) throws -> ExpressionNode {
        let operands = try NamedOperands(
            operand, of: "$zip", ["inputs", "useLongestLength", "defaults"], required: ["inputs"], code: 34460)
        let isLongest: Bool
        switch operands["useLongestLength"] {
        case nil: isLongest = false
        case .bool(let value): isLongest = value
        case let other: throw MongoError(code: 34463, "$zip takes a boolean 'useLongestLength', not \(other.typeName).")
        }
        guard isLongest || operands["defaults"] == nil else {
            throw MongoError(code: 34466, "$zip takes 'defaults' only if 'useLongestLength' is true.")
        }
        let inputs = try operands["inputs"].map(parser.parse) ?? .constant(nil)
        let defaults = try operands["defaults"].map(parser.parse) ?? .constant(nil)
        return .call({ try zipped($0[0], $0[1], isLongest, $0.work) }, [inputs, defaults])
    }

    private static func zipped(
        _ inputs: BSON?, _ defaults: BSON?, _ isLongest: Bool, _ work: WorkMeter
    ) throws -> BSON? {
        guard case .array(let values) = inputs else {
            throw MongoError(code: 34461, "$zip takes an array of 'inputs', not \(inputs.typeName).")
        }
        guard !values.isEmpty else { throw MongoError(code: 34465, "$zip takes at least one array in 'inputs'.") }
        let filler = try Arrays.items(defaults, "$zip", 34462)
        guard filler.map({ $0.count == values.count }) ?? true else {
            throw MongoError(code: 34467, "$zip takes as many 'defaults' as 'inputs'.")
        }
        var arrays: [[BSON]] = []
        for value in values {
            guard let items = try Arrays.items(value, "$zip", 34468) else { return .null }
            arrays.append(items)
        }
        let counts = arrays.map(\.count)
        let count = (isLongest ? counts.max() : counts.min()) ?? 0
        try Arrays.check(count: count.multipliedReportingOverflow(by: arrays.count).partialValue, "$zip")
        let tuples = try (0..<count).map { index in
            try work.charge(arrays.count)
            return BSON.array(
                arrays.enumerated().map { place, items in
                    index < items.count ? items[index] : filler?[place] ?? .null
                })
        }
        return try BSON.array(tuples).checked(work)
    }
}
