internal import SealiteValues

extension ExpressionOperator {
    /// The operators on whole arrays, such as `$size` and `$concatArrays`.
    static let arrays: [ExpressionOperator] = [
        .init("$isArray") { .bool($0?.type == .array) },
        .init("$size") { argument in
            guard case .array(let items) = argument else {
                throw MongoError(code: 17124, "$size takes an array, not \(argument.typeName).")
            }
            return BSON(items.count)
        },
        .init("$concatArrays", 0..., concatenate),
        .init("$reverseArray") { argument in
            try Arrays.items(argument, "$reverseArray", 34435).map { .array($0.reversed()) } ?? .null
        },
        .init("$in", 2...2) { arguments in
            guard case .array(let items) = arguments[1] else {
                throw MongoError(
                    code: 40081, "$in takes an array as its second argument, not \(arguments[1].typeName).")
            }
            return .bool(try items.contains { try arguments.work.compare(arguments[0], $0) == 0 })
        },
        .init("$indexOfArray", 2...4, index),
        .init("$range", 2...3, range),
    ]

    @Sendable private static func concatenate(_ arguments: Arguments) throws -> BSON? {
        var all: [BSON] = []
        for argument in arguments {
            guard let items = try Arrays.items(argument, "$concatArrays", 28664) else { return .null }
            try Arrays.check(count: all.count + items.count, "$concatArrays")
            all.append(contentsOf: items)
        }
        return .array(all)
    }

    @Sendable private static func index(_ arguments: Arguments) throws -> BSON? {
        guard let items = try Arrays.items(arguments[0], "$indexOfArray", 40090) else { return .null }
        let (start, end) = try Arrays.bounds(arguments, items.count, "$indexOfArray")
        guard start < end else { return .int32(-1) }
        let index = try items[start..<end].firstIndex { try arguments.work.compare(arguments[1], $0) == 0 }
        return BSON(index ?? -1)
    }

    @Sendable private static func range(_ arguments: Arguments) throws -> BSON? {
        let limits = try arguments.enumerated().map { place, argument in
            guard Number(argument) != nil else {
                throw MongoError(code: [34443, 34445, 34447][place], "$range takes numbers, not \(argument.typeName).")
            }
            guard let limit = argument.exactInt32 else {
                throw MongoError(code: [34444, 34446, 34448][place], "$range takes 32-bit integers.")
            }
            return limit
        }
        let step = limits.count > 2 ? limits[2] : 1
        guard step != 0 else { throw MongoError(code: 34449, "$range takes no step of 0.") }
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
        guard count <= maximumCount else {
            throw MongoError.tooLarge("\(name) would make more than \(maximumCount) items.")
        }
    }

    /// Returns the items of an array; nil if the argument is null, undefined or missing. Throws `MongoError` with
    /// `code` for any other argument of the operator `name`.
    static func items(_ argument: BSON?, _ name: String, _ code: Int) throws -> [BSON]? {
        if case .array(let items) = argument { return items }
        guard argument.isNullish else {
            throw MongoError(code: code, "\(name) takes arrays, not \(argument.typeName).")
        }
        return nil
    }

    /// Returns the half-open range of indices that an operator's third and fourth argument give, clamped to `count`.
    /// Without these arguments it is the whole range from 0 to `count`; `start` may exceed `end`.
    static func bounds(_ arguments: Arguments, _ count: Int, _ name: String) throws -> (start: Int, end: Int) {
        func bound(_ index: Int) throws -> Int? {
            guard arguments.count > index else { return nil }
            guard let bound = arguments[index].exactInt32 else {
                throw MongoError(code: 40096, "\(name) takes 32-bit integers as its start and its end.")
            }
            guard bound >= 0 else { throw MongoError(code: 40097, "\(name) takes no negative start or end.") }
            return bound
        }
        return (min(try bound(2) ?? 0, count), min(try bound(3) ?? count, count))
    }
}
