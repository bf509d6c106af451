internal import SealiteValues

extension ExpressionOperator {
    /// The operators that treat arrays as sets, in which order and repetition of items don't matter, such as
    /// `$setUnion`.
    static let sets: [ExpressionOperator] = [
        .init("$setUnion", 0..., union),
        .init("$setIntersection", 0..., intersection),
        .init("$setDifference", 2...2) { arguments in
            if arguments.contains(where: { $0.isNullish }) { return .null }
            let sets = try sets(arguments, "$setDifference", 17048, second: 17049)
            let removed = try keySet(sets[1], arguments.work)
            return .array(try distinct(sets[0], arguments.work) { !removed.contains($0) })
        },
        .init("$setEquals") { operand, parser in
            let nodes = try parser.arguments(of: "$setEquals", operand, 2..., code: 17045)
            for case .constant(let value) in nodes { _ = try requireArray(value, 5_887_502, "$setEquals takes arrays") }
            return .call(
                { arguments in
                    let keys = try sets(arguments, "$setEquals", 17044).map { try keySet($0, arguments.work) }
                    return .bool(keys.dropFirst().allSatisfy { $0 == keys[0] })
                }, nodes)
        },
        .init("$setIsSubset", 2...2) { arguments in
            let sets = try sets(arguments, "$setIsSubset", 17046, second: 17042)
            let all = try keySet(sets[1], arguments.work)
            return .bool(
                try sets[0].allSatisfy { item in
                    try arguments.work.charge(passOver: item)
                    return all.contains(BSONKey(item))
                })
        },
        .init("$allElementsTrue", 1...1) { arguments in
            .bool(try sets(arguments, "$allElementsTrue", 17040)[0].allSatisfy { Optional($0).isTrue })
        },
        .init("$anyElementTrue", 1...1) { arguments in
            .bool(try sets(arguments, "$anyElementTrue", 17041)[0].contains { Optional($0).isTrue })
        },
    ]

    /// Returns the items of each argument; throws `MongoError` with `code`, or `second` for the second argument, if an
    /// argument of the operator `name` isn't an array.
    private static func sets(
        _ arguments: OperatorArguments, _ name: String, _ code: Int, second: Int? = nil
    ) throws -> [[BSON]] {
        try arguments.enumerated().map { place, argument in
            try requireArray(argument, place == 1 ? second ?? code : code, "\(name) takes arrays")
        }
    }

    /// Returns the items as keys.
    private static func keySet(_ items: [BSON], _ work: WorkMeter) throws -> Set<BSONKey> {
        var keys: Set<BSONKey> = []
        for item in items {
            try work.charge(passOver: item)
            keys.insert(BSONKey(item))
        }
        return keys
    }

    /// Returns the items that fulfil a condition, in their order, without those that are equal to an earlier one.
    private static func distinct(
        _ items: [BSON], _ work: WorkMeter, where isTaken: (BSONKey) -> Bool = { _ in true }
    ) throws -> [BSON] {
        var seen: Set<BSONKey> = []
        return try items.filter { item in
            try work.charge(passOver: item)
            let key = BSONKey(item)
            return isTaken(key) && seen.insert(key).inserted
        }
    }

    private static func sorted(_ items: [BSON], _ work: WorkMeter) throws -> [BSON] {
        try items.sorted { try work.compare($0, $1) < 0 }
    }

    @Sendable private static func union(_ arguments: OperatorArguments) throws -> BSON? {
        var (seen, all): (Set<BSONKey>, [BSON]) = ([], [])
        for argument in arguments {
            guard let items = try Arrays.items(argument, "$setUnion", 17043) else { return .null }
            for item in items {
                try arguments.work.charge(passOver: item)
                guard seen.insert(BSONKey(item)).inserted else { continue }
                all.append(item)
            }
        }
        return .array(try sorted(all, arguments.work))
    }

    @Sendable private static func intersection(_ arguments: OperatorArguments) throws -> BSON? {
        if arguments.contains(where: { $0.isNullish }) { return .null }
        let sets = try sets(arguments, "$setIntersection", 17047)
        guard let first = sets.first else { return .array([]) }
        let others = try sets.dropFirst().map { try keySet($0, arguments.work) }
        let common = try distinct(first, arguments.work) { key in others.allSatisfy { $0.contains(key) } }
        return .array(try sorted(common, arguments.work))
    }
}
