internal import SealiteValues

// Operators on values.
extension FilterParser {
    /// A function that parses the operand of an operator on the values at a path and returns its condition; nil if
    /// there is nothing to test. The document has all operators on the path, since some belong together.
    typealias ValueReader = @Sendable (FilterParser, FilterPath, BSON, MongoDocument) throws -> FilterTree?

    /// The functions that parse the operators on the values at a path, such as `$gt`, by the operators' names.
    static let valueOperators: [String: ValueReader] = [
        "$eq": test { _, operand in .equal(try comparable(operand)) },
        "$ne": { _, path, operand, _ in
            if case .regex = operand { throw MongoError.badValue("$ne takes no regular expression; use $not.") }
            return .not(.path(path, .equal(try comparable(operand))))
        },
        "$gt": bound(.above, isInclusive: false),
        "$gte": bound(.above, isInclusive: true),
        "$lt": bound(.below, isInclusive: false),
        "$lte": bound(.below, isInclusive: true),
        "$in": test { _, operand in .among(try list("$in", operand)) },
        "$nin": { _, path, operand, _ in .not(.path(path, .among(try list("$nin", operand)))) },
        "$exists": { _, path, operand, _ in
            Optional(operand).isTrue ? .path(path, .exists) : .not(.path(path, .exists))
        },
        "$type": test { _, operand in .types(try types(operand)) },
        "$mod": test { _, operand in try modulus(operand) },
        "$size": test { _, operand in .size(try size(operand)) },
        "$regex": { _, path, operand, operators in
            .path(
                path,
                .pattern(
                    try pattern(
                        operand, options: operators["$options"], isBefore: operators.keys.first == "$options")))
        },
        "$options": { _, _, _, operators in
            try require(operators["$regex"] != nil, .badValue("$options belongs to $regex, which is missing."))
            return nil
        },
        "$not": { parser, path, operand, _ in try parser.negated(operand, of: path) },
        "$all": { parser, path, operand, _ in try parser.all(operand, of: path) },
        "$elemMatch": test { parser, operand in .elements(try parser.elements(operand)) },
        "$bitsAllSet": bits("$bitsAllSet", .all, wantsSet: true),
        "$bitsAnySet": bits("$bitsAnySet", .any, wantsSet: true),
        "$bitsAllClear": bits("$bitsAllClear", .all, wantsSet: false),
        "$bitsAnyClear": bits("$bitsAnyClear", .any, wantsSet: false),
        "$comment": { _, _, _, _ in nil },
    ]

    /// Returns the parsing function of an operator that is a single test of the values at a path. `read` parses the
    /// operand.
    private static func test(_ read: @escaping @Sendable (FilterParser, BSON) throws -> LeafTest) -> ValueReader {
        { parser, path, operand, _ in .path(path, try read(parser, operand)) }
    }

    // MARK: - Comparisons

    private static func bound(_ side: RangeBound.Side, isInclusive: Bool) -> ValueReader {
        { _, path, operand, _ in
            if operand.isPattern {
                throw MongoError.badValue(
                    "A value at '\(path.text)' can't be compared with a regular expression by order.")
            }
            return .path(path, .range(RangeBound(side, isInclusive: isInclusive, try comparable(operand))))
        }
    }

    private static func list(_ name: String, _ operand: BSON) throws -> ValueList {
        let items = try require(operand.items, .badValue("\(name) takes an array."))
        var values: [BSON] = []
        var patterns: [FilterPattern] = []
        for item in items {
            switch item {
            case .regex(let regex): patterns.append(try FilterPattern(regex))
            case .document(let document) where document.isOperators:
                throw MongoError.badValue(
                    document["$regex"] == nil
                        ? "\(name) takes values, not operators."
                        : "\(name) takes a regular expression as a value, not as an object with $regex.")
            default: values.append(try comparable(item))
            }
        }
        return ValueList(values, patterns)
    }

    // MARK: - Patterns

    private static func pattern(
        _ operand: BSON, options: BSON?, isBefore: Bool = false
    ) throws -> FilterPattern {
        let text = try options.map { try require($0.text, .badValue("$options takes a string.")) }
        switch operand {
        case .string(let pattern): return try FilterPattern(Regex(pattern, options: text ?? ""))
        case .regex(let regex):
            guard let text else { return try FilterPattern(regex) }
            try require(
                regex.options.isEmpty, isBefore ? 51074 : 51075,
                "The options of $regex are given twice, in it and in $options.")
            return try FilterPattern(Regex(regex.pattern, options: text))
        default: throw MongoError.badValue("$regex takes a string or a regular expression.")
        }
    }

    // MARK: - Nested operators

    private func negated(_ operand: BSON, of path: FilterPath) throws -> FilterTree {
        switch operand {
        case .regex(let regex): return .not(.path(path, .pattern(try FilterPattern(regex))))
        case .document(let operators):
            try require(!operators.isEmpty, .badValue("$not takes at least one operator."))
            try require(operators.isOperators, .badValue("There is no operator \(operators.keys[0]) in filters."))
            return .not(try withoutNear { try self.operators(operators, of: path) })
        default: throw MongoError.badValue("$not takes a regular expression or an object of operators.")
        }
    }

    private func all(_ operand: BSON, of path: FilterPath) throws -> FilterTree {
        let items = try require(operand.items, .badValue("$all takes an array."))
        guard let first = items.first else { return .constant(false) }
        if case .document(let document) = first, document.keys.first == "$elemMatch" {
            return .every(
                try items.map { item in
                    guard case .document(let document) = item, document.keys == ["$elemMatch"],
                        let operand = document["$elemMatch"]
                    else { throw MongoError.badValue("$all takes either values or $elemMatch, not both.") }
                    return .path(path, .elements(try elements(operand)))
                })
        }
        return .every(
            try items.map { item in
                switch item {
                case .regex(let regex): return .path(path, .pattern(try FilterPattern(regex)))
                case .document(let document) where document.isOperators:
                    throw MongoError.badValue("$all takes values or $elemMatch, but no other operators.")
                default: return .path(path, .equal(try Self.comparable(item)))
                }
            })
    }

    /// Parses the operand of `$elemMatch`: the conditions on the items of an array.
    func elements(_ operand: BSON) throws -> ElementTest {
        let conditions = try require(operand.members, .badValue("$elemMatch takes an object."))
        if conditions.isOperators, let name = conditions.keys.first, Self.documentOperators[name] == nil {
            return ElementTest(tree: try withoutNear { try operators(conditions, of: .root) }, isOnMembers: false)
        }
        return ElementTest(tree: try withoutNear { try document(conditions, at: .inside) }, isOnMembers: true)
    }
}

extension BSON {
    /// A Boolean value that says whether the value is a regular expression, or an object with `$regex`.
    fileprivate var isPattern: Bool {
        switch self {
        case .regex: true
        case .document(let document): document.keys.first == "$regex"
        default: false
        }
    }
}

// Operands that are numbers, types or bits.
extension FilterParser {
    // MARK: - Types, numbers and sizes

    static func types(_ operand: BSON) throws -> TypeSet {
        var types = TypeSet()
        guard case .array(let items) = operand else {
            try add(operand, to: &types)
            return types
        }
        try require(!items.isEmpty, .failedToParse("$type takes at least one type."))
        for item in items { try add(item, to: &types) }
        return types
    }

    private static func add(_ name: BSON, to types: inout TypeSet) throws {
        if case .string(let alias) = name {
            if alias == "number" {
                for type in BSONType.allCases where type.isNumber { types.insert(type) }
            } else if let type = BSONType(alias: alias) {
                types.insert(type)
            } else {
                throw MongoError.badValue("There is no type '\(alias)'.")
            }
            return
        }
        try require(name.type.isNumber, .typeMismatch("$type takes the number or the name of a type."))
        guard let code = name.exactInt64, let type = code == 255 ? .minKey : BSONType(rawValue: Int(code)) else {
            throw MongoError.badValue("There is no type with this number.")
        }
        types.insert(type)
    }

    static func modulus(_ operand: BSON) throws -> LeafTest {
        let items = try require(operand.items, .badValue("$mod takes an array of a divisor and a remainder."))
        try require(items.count >= 2, .badValue("$mod takes a remainder too."))
        try require(items.count == 2, .badValue("$mod takes a divisor and a remainder, and nothing else."))
        try require(items[0].type.isNumber, .badValue("$mod takes a number as the divisor."))
        try require(items[1].type.isNumber, .badValue("$mod takes a number as the remainder."))
        guard let divisor = items[0].truncatedInt64, let remainder = items[1].truncatedInt64 else {
            throw MongoError.badValue("$mod takes a divisor and a remainder of 64 bits.")
        }
        try require(divisor != 0, .badValue("$mod takes no divisor of 0."))
        return .modulus(divisor: divisor, remainder: remainder)
    }

    static func size(_ operand: BSON) throws -> Int {
        let size = try require(operand.exactInt64, .badValue("$size takes an integer."))
        try require(size >= 0, .badValue("$size takes no negative number."))
        return Int(try require(Int32(exactly: size), .badValue("$size takes an integer of 32 bits.")))
    }

    // MARK: - Bits

    static func bits(_ name: String, _ quantifier: BitTest.Quantifier, wantsSet: Bool) -> ValueReader {
        { _, path, operand, _ in
            let positions = try positions(operand, name)
            return .path(path, .bits(BitTest(quantifier: quantifier, wantsSet: wantsSet, positions: positions)))
        }
    }

    private static func positions(_ operand: BSON, _ name: String) throws -> [Int] {
        switch operand {
        case .array(let items): return try items.map { try position($0, name) }
        case .binary(let binary):
            return (0..<binary.bytes.count * 8).filter { binary.bytes[$0 / 8] >> UInt8($0 % 8) & 1 == 1 }
        case .int32, .int64, .double, .decimal128:
            let mask = try require(operand.exactInt64, .failedToParse("\(name) takes an integer."))
            try require(mask >= 0, .failedToParse("\(name) takes no negative number."))
            return (0..<63).filter { mask >> Int64($0) & 1 == 1 }
        default:
            throw MongoError.badValue(
                "\(name) takes an array, a number or binary data, not \(operand.type.alias).")
        }
    }

    private static func position(_ item: BSON, _ name: String) throws -> Int {
        guard let number = item.exactInt64, number >= 0, number <= Int64(BitTest.maximumPosition) else {
            throw MongoError.badValue("\(name) takes positions of bits from 0 on, of 32 bits.")
        }
        return Int(number)
    }
}
