internal import SealiteValues

extension ExpressionOperator {
    /// The operators that treat arrays as sets, in which order and repetition of items don't matter, such as
    /// `$setUnion`.
    static let sets: [ExpressionOperator] = [
        .init("$setUnion", 0..., union),
        .init("$setIntersection", 0..., intersection),
        .init("$setDifference", 2...2) { arguments in
            if arguments.contains(where: { $0.isNullish }) { return .null }
            let sets = try sets(arguments, "$setDifference", 17048)
            let removed = Set(sets[1].map { BSONKey($0) })
            return .array(distinct(sets[0]).filter { !removed.contains(BSONKey($0)) })
        },
        .init("$setEquals", 2...) { arguments in
            let keys = try sets(arguments, "$setEquals", 17044).map { Set($0.map { BSONKey($0) }) }
            return .bool(keys.dropFirst().allSatisfy { $0 == keys[0] })
        },
        .init("$setIsSubset", 2...2) { arguments in
            let keys = try sets(arguments, "$setIsSubset", 17046).map { Set($0.map { BSONKey($0) }) }
            return .bool(keys[0].isSubset(of: keys[1]))
        },
        .init("$allElementsTrue", 1...1) { arguments in
            .bool(try sets(arguments, "$allElementsTrue", 17040)[0].allSatisfy { Optional($0).isTrue })
        },
        .init("$anyElementTrue", 1...1) { arguments in
            .bool(try sets(arguments, "$anyElementTrue", 17041)[0].contains { Optional($0).isTrue })
        },
    ]

    /// Returns the items of each argument; throws `MongoError` with `code` if an argument of the operator `name` isn't
    /// an array.
    private static func sets(_ arguments: [BSON?], _ name: String, _ code: Int) throws -> [[BSON]] {
        try arguments.map { argument in
            guard case .array(let items) = argument else {
                throw MongoError(code: code, "\(name) takes arrays, not \(argument.typeName).")
            }
            return items
        }
    }

    /// Returns the items in their order, without those that are equal to an earlier one.
    private static func distinct(_ items: [BSON]) -> [BSON] {
        var seen: Set<BSONKey> = []
        return items.filter { seen.insert(BSONKey($0)).inserted }
    }

    private static func sorted(_ items: [BSON]) -> [BSON] { items.sorted { $0.compared(to: $1) < 0 } }

    @Sendable private static func union(_ arguments: [BSON?]) throws -> BSON? {
        if arguments.contains(where: { $0.isNullish }) { return .null }
        return .array(sorted(distinct(Array(try sets(arguments, "$setUnion", 17043).joined()))))
    }

    @Sendable private static func intersection(_ arguments: [BSON?]) throws -> BSON? {
        if arguments.contains(where: { $0.isNullish }) { return .null }
        let sets = try sets(arguments, "$setIntersection", 17047)
        guard let first = sets.first else { return .array([]) }
        let others = sets.dropFirst().map { Set($0.map { BSONKey($0) }) }
        return .array(
            sorted(distinct(first).filter { item in others.allSatisfy { $0.contains(BSONKey(item)) } }))
    }
}
