internal import SealiteValues

extension ExpressionOperator {
    /// The operators on whole arrays, such as `$size` and `$concatArrays`.
    static let arrays: [ExpressionOperator] = [
        .init("$isArray") { .bool($0?.type == .array) },
        .init("$size") { argument in
            let items = try requireArray(argument, 17124, "$size takes an array")
            return BSON(items.count)
        },
        .init("$concatArrays", 0..., concatenate),
        .init("$reverseArray") { argument in
            try Arrays.items(argument, "$reverseArray", 34435).map { .array($0.reversed()) } ?? .null
        },
        .init("$in", 2...2) { arguments in
            let items = try requireArray(arguments[1], 40081, "$in takes an array as its second argument")
            return .bool(try items.contains { try arguments.work.compare(arguments[0], $0) == 0 })
        },
        .init("$indexOfArray", 2...4, index),
        .init("$range", 2...3, range),
    ]

    @Sendable private static func concatenate(_ arguments: OperatorArguments) throws -> BSON? {
        var all: [BSON] = []
        for argument in arguments {
            guard let items = try Arrays.items(argument, "$concatArrays", 28664) else { return .null }
            try Arrays.check(count: all.count + items.count, "$concatArrays")
            all.append(contentsOf: items)
        }
        return .array(all)
    }

    @Sendable private static func index(_ arguments: OperatorArguments) throws -> BSON? {
        guard let items = try Arrays.items(arguments[0], "$indexOfArray", 40090) else { return .null }
        let (start, end) = try Arrays.bounds(arguments, items.count, "$indexOfArray", codes: (9_711_600, 9_711_601))
        guard start < end else { return .int32(-1) }
        let index = try items[start..<end].firstIndex { try arguments.work.compare(arguments[1], $0) == 0 }
        return BSON(index ?? -1)
    }

    @Sendable private static func range(_ arguments: OperatorArguments) throws -> BSON? {
        let limits = try arguments.enumerated().map { place, argument in
            try requireNumber(argument, 34443 + 2 * place, "$range takes numbers")
            return try require(argument.exactInt32, 34444 + 2 * place, "$range takes 32-bit integers.")
        }
        let step = limits.count > 2 ? limits[2] : 1
        try require(step != 0, 34449, "$range takes no step of 0.")
        let (start, end) = (limits[0], limits[1])
        try Arrays.check(count: max(0, (end - start) / step), "$range")
        return .array(stride(from: start, to: end, by: step).map { BSON($0) })
    }
}

/// Checks that the array operators share.
enum Arrays {
    /// The maximum number of items that an operator may create.
    static let maximumCount = 4_000_000

    /// Throws `MongoError` 146 if `count`, the number of items that the operator `name` would create, exceeds the
    /// maximum.
    static func check(count: Int, _ name: String) throws {
        try require(count <= maximumCount, .tooLarge("\(name) would make more than \(maximumCount) items."))
    }

    /// Returns the items of an array; nil if the argument is null, undefined or missing. Throws `MongoError` with
    /// `code` for any other argument of the operator `name`.
    static func items(_ argument: BSON?, _ name: String, _ code: Int) throws -> [BSON]? {
        if case .array(let items) = argument { return items }
        try require(argument.isNullish, code, "\(name) takes arrays, not \(argument.typeName).")
        return nil
    }

    /// Returns the half-open range of indices that an operator's third and fourth argument give, clamped to `count`.
    /// Without these arguments it is the whole range from 0 to `count`; `start` may exceed `end`.
    /// `codes` are those of an index that isn't a 32-bit integer, and of a negative one.
    static func bounds(
        _ arguments: OperatorArguments, _ count: Int, _ name: String,
        codes: (integer: Int, negative: Int) = (40096, 40097)
    ) throws -> (start: Int, end: Int) {
        func bound(_ index: Int) throws -> Int? {
            guard arguments.count > index else { return nil }
            let bound = try require(
                arguments[index].exactInt32, codes.integer, "\(name) takes 32-bit integers as its start and its end.")
            try require(bound >= 0, codes.negative, "\(name) takes no negative start or end.")
            return bound
        }
        return (min(try bound(2) ?? 0, count), min(try bound(3) ?? count, count))
    }
}

extension ExpressionOperator {
    /// The operators that return items or parts of arrays, such as `$arrayElemAt` and `$slice`.
    static let arrayParts: [ExpressionOperator] = [
        .init("$arrayElemAt", 2...2) { arguments in
            if arguments[0].isNullish || arguments[1].isNullish { return .null }
            guard let items = try Arrays.items(arguments[0], "$arrayElemAt", 28689) else { return .null }
            try requireNumber(arguments[1], 28690, "$arrayElemAt takes a number as its index")
            let index = try require(arguments[1].exactInt32, 28691, "$arrayElemAt takes a 32-bit integer as its index.")
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

    @Sendable private static func slice(_ arguments: OperatorArguments) throws -> BSON? {
        if arguments.contains(where: { $0.isNullish }) { return .null }
        guard let items = try Arrays.items(arguments[0], "$slice", 28724) else { return .null }
        let numbers = try arguments.dropFirst().enumerated().map { place, argument in
            try requireNumber(argument, 28725 + 2 * place, "$slice takes numbers as its position and its count")
            return try require(
                argument.exactInt32, 28726 + 2 * place, "$slice takes 32-bit integers as its position and its count.")
        }
        guard numbers.count > 1 else {
            let count = numbers[0]
            return .array(count < 0 ? items.suffix(-count) : Array(items.prefix(count)))
        }
        let (position, count) = (numbers[0], numbers[1])
        try require(count > 0, 28729, "$slice takes a positive number of items.")
        let start = position < 0 ? max(0, items.count + position) : min(position, items.count)
        return .array(Array(items[start..<min(items.count, start + count)]))
    }

    @Sendable private static func zip(_ operand: BSON, _ parser: ExpressionParser) throws -> ExpressionNode {
        let names = ["inputs", "useLongestLength?", "defaults?"]
        let codes = OperandCodes(shape: 34460, unknown: 34464, absent: 34465)
        let operands = try NamedOperands(operand, of: "$zip", names, code: codes)
        let isLongest: Bool
        switch operands["useLongestLength"] {
        case nil: isLongest = false
        case .bool(let value): isLongest = value
        case let other: throw MongoError(code: 34463, "$zip takes a boolean 'useLongestLength', not \(other.typeName).")
        }
        try require(
            isLongest || operands["defaults"] == nil, 34466,
            "$zip takes 'defaults' only if 'useLongestLength' is true.")
        let nodes = [try operands.node("inputs", parser), try operands.node("defaults", parser)]
        return .call({ try zipped($0[0], $0[1], isLongest, $0.work) }, nodes)
    }

    private static func zipped(
        _ inputs: BSON?, _ defaults: BSON?, _ isLongest: Bool, _ work: WorkMeter
    ) throws -> BSON? {
        let values = try requireArray(inputs, 34461, "$zip takes an array of 'inputs'")
        try require(!values.isEmpty, 34465, "$zip takes at least one array in 'inputs'.")
        let filler = try Arrays.items(defaults, "$zip", 34462)
        try require(
            filler.map({ $0.count == values.count }) ?? true, 34467, "$zip takes as many 'defaults' as 'inputs'.")
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

extension ExpressionOperator {
    /// The operators `$objectToArray` and `$arrayToObject`, which convert objects to arrays of names and values, and
    /// back.
    static let arrayConversions: [ExpressionOperator] = [
        .init("$objectToArray") { argument in
            if argument.isNullish { return .null }
            let document = try requireDocument(argument, 40390, "$objectToArray takes an object")
            return .array(document.map { .document(["k": .string($0.key), "v": $0.value]) })
        },
        .init("$arrayToObject", 1...1) { arguments in
            guard let items = try Arrays.items(arguments[0], "$arrayToObject", 40386) else { return .null }
            return .document(try object(items, arguments.work))
        },
    ]

    private static func object(_ items: [BSON], _ work: WorkMeter) throws -> MongoDocument {
        var places: [[UInt8]: Int] = [:]
        var members: [MongoDocument.Member] = []
        var isPairs: Bool?
        for item in items {
            try work.charge(2)
            let (key, value) = try member(item, &isPairs)
            try require(
                !key.utf8.contains(0), isPairs == true ? 4_940_400 : 4_940_401,
                "$arrayToObject takes no name with a NUL character.")
            if let place = places[Array(key.utf8)] {
                members[place].value = value
            } else {
                places[Array(key.utf8)] = members.count
                members.append(.init(key, value))
            }
        }
        return MongoDocument(members)
    }

    /// Returns the name and the value that an item gives: a pair `[name, value]` or an object with `k` and `v`. All
    /// items must have the same form; `isPairs`, nil before the first item, says which one it is.
    private static func member(_ item: BSON, _ isPairs: inout Bool?) throws -> (String, BSON) {
        switch item {
        case .array(let pair) where isPairs != false:
            isPairs = true
            try require(pair.count == 2, 40397, "$arrayToObject takes arrays of two items, not of \(pair.count).")
            return (try name(pair[0], 40395), pair[1])
        case .document(let document) where isPairs != true:
            isPairs = false
            try require(document.count == 2, 40392, "$arrayToObject takes objects with two members, 'k' and 'v'.")
            guard let key = document["k"], let value = document["v"] else {
                throw MongoError(code: 40393, "$arrayToObject takes objects with the members 'k' and 'v'.")
            }
            return (try name(key, 40394), value)
        default:
            throw MongoError(
                code: isPairs == nil ? 40398 : isPairs == true ? 40396 : 40391,
                "$arrayToObject takes items that are all arrays or all objects; one of them is of the type \(item.type.alias)."
            )
        }
    }

    private static func name(_ value: BSON, _ code: Int) throws -> String {
        return try requireString(value, code, "$arrayToObject takes strings as names")
    }
}
