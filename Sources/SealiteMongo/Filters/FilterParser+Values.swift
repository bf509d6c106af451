internal import SealiteValues

// Operators on values.
extension FilterParser {
    /// A function that parses the operand of an operator on the values at a path and returns its condition; nil if
    /// there is nothing to test. The document has all operators on the path, since some belong together.
    typealias ValueReader = @Sendable (FilterParser, FilterPath, BSON, MongoDocument) throws -> FilterTree?

    /// The functions that parse the operators on the values at a path, such as `$gt`, by the operators' names.
    static let valueOperators: [String: ValueReader] = [
        "$eq": test { _, operand in .equal(try comparable(operand)) },
        "$ne": notEqual,
        "$gt": bound(.above, isInclusive: false),
        "$gte": bound(.above, isInclusive: true),
        "$lt": bound(.below, isInclusive: false),
        "$lte": bound(.below, isInclusive: true),
        "$in": test { _, operand in .among(try list("$in", operand)) },
        "$nin": notAmong,
        "$exists": exists,
        "$type": test { _, operand in .types(try types(operand)) },
        "$mod": test { _, operand in try modulus(operand) },
        "$size": test { _, operand in .size(try size(operand)) },
        "$regex": regex,
        "$options": options,
        "$not": negated,
        "$all": all,
        "$elemMatch": test { parser, operand in .elements(try parser.elements(operand)) },
        "$bitsAllSet": bits("$bitsAllSet", .all, wantsSet: true),
        "$bitsAnySet": bits("$bitsAnySet", .any, wantsSet: true),
        "$bitsAllClear": bits("$bitsAllClear", .all, wantsSet: false),
        "$bitsAnyClear": bits("$bitsAnyClear", .any, wantsSet: false),
        "$comment": ignored,
    ]

    /// Returns the parsing function of an operator that is a single test of the values at a path. `read` parses the
    /// operand.
    private static func test(
        _ read: @escaping @Sendable (FilterParser, BSON) throws -> LeafTest
    ) -> ValueReader {
        { parser, path, operand, _ in .path(path, try read(parser, operand)) }
    }

    @Sendable
    private static func ignored(
        _ parser: FilterParser, _ path: FilterPath, _ operand: BSON, _ operators: MongoDocument
    ) throws -> FilterTree? { nil }

    // MARK: - Comparisons

    @Sendable
    private static func notEqual(
        _ parser: FilterParser, _ path: FilterPath, _ operand: BSON, _ operators: MongoDocument
    ) throws -> FilterTree? {
        if case .regex = operand { throw MongoError.badValue("$ne takes no regular expression; use $not.") }
        return .not(.path(path, .equal(try comparable(operand))))
    }

    @Sendable
    private static func notAmong(
        _ parser: FilterParser, _ path: FilterPath, _ operand: BSON, _ operators: MongoDocument
    ) throws -> FilterTree? {
        .not(.path(path, .among(try list("$nin", operand))))
    }

    @Sendable
    private static func exists(
        _ parser: FilterParser, _ path: FilterPath, _ operand: BSON, _ operators: MongoDocument
    ) throws -> FilterTree? {
        Optional(operand).isTrue ? .path(path, .exists) : .not(.path(path, .exists))
    }

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
        guard case .array(let items) = operand else { throw MongoError.badValue("\(name) takes an array.") }
        var values: [BSON] = []
        var patterns: [FilterPattern] = []
        for item in items {
            switch item {
            case .regex(let regex): patterns.append(try FilterPattern(regex))
            case .document(let document) where document.isOperators:
                guard let operand = document["$regex"], document.keys.allSatisfy(["$regex", "$options"].contains) else {
                    throw MongoError.badValue("\(name) takes values, not operators.")
                }
                patterns.append(try pattern(operand, options: document["$options"]))
            default: values.append(try comparable(item))
            }
        }
        return ValueList(values, patterns)
    }

    // MARK: - Patterns

    @Sendable
    private static func regex(
        _ parser: FilterParser, _ path: FilterPath, _ operand: BSON, _ operators: MongoDocument
    ) throws -> FilterTree? {
        .path(path, .pattern(try pattern(operand, options: operators["$options"])))
    }

    @Sendable
    private static func options(
        _ parser: FilterParser, _ path: FilterPath, _ operand: BSON, _ operators: MongoDocument
    ) throws -> FilterTree? {
        guard operators["$regex"] != nil else {
            throw MongoError.badValue("$options belongs to $regex, which is missing.")
        }
        return nil
    }

    private static func pattern(_ operand: BSON, options: BSON?) throws -> FilterPattern {
        var text: String?
        if let options {
            guard case .string(let letters) = options else { throw MongoError.badValue("$options takes a string.") }
            text = letters
        }
        switch operand {
        case .string(let pattern): return try FilterPattern(Regex(pattern, options: text ?? ""))
        case .regex(let regex):
            guard let text else { return try FilterPattern(regex) }
            guard regex.options.isEmpty else {
                throw MongoError(code: 51075, "The options of $regex are given twice, in it and in $options.")
            }
            return try FilterPattern(Regex(regex.pattern, options: text))
        default: throw MongoError.badValue("$regex takes a string or a regular expression.")
        }
    }

    // MARK: - Nested operators

    @Sendable
    private static func negated(
        _ parser: FilterParser, _ path: FilterPath, _ operand: BSON, _ operators: MongoDocument
    ) throws -> FilterTree? {
        switch operand {
        case .regex(let regex): return .not(.path(path, .pattern(try FilterPattern(regex))))
        case .document(let operators):
            guard !operators.isEmpty else { throw MongoError.badValue("$not takes at least one operator.") }
            guard operators.isOperators else {
                throw MongoError.badValue("There is no operator \(operators.keys[0]) in filters.")
            }
            return .not(try parser.operators(operators, of: path))
        default: throw MongoError.badValue("$not takes a regular expression or an object of operators.")
        }
    }

    @Sendable
    private static func all(
        _ parser: FilterParser, _ path: FilterPath, _ operand: BSON, _ operators: MongoDocument
    ) throws -> FilterTree? {
        guard case .array(let items) = operand else { throw MongoError.badValue("$all takes an array.") }
        guard let first = items.first else { return .constant(false) }
        if case .document(let document) = first, document.keys.first == "$elemMatch" {
            return .every(
                try items.map { item in
                    guard case .document(let document) = item, document.keys == ["$elemMatch"],
                        let operand = document["$elemMatch"]
                    else { throw MongoError.badValue("$all takes either values or $elemMatch, not both.") }
                    return .path(path, .elements(try parser.elements(operand)))
                })
        }
        return .every(
            try items.map { item in
                switch item {
                case .regex(let regex): return .path(path, .pattern(try FilterPattern(regex)))
                case .document(let document) where document.isOperators:
                    throw MongoError.badValue("$all takes values or $elemMatch, but no other operators.")
                default: return .path(path, .equal(try comparable(item)))
                }
            })
    }

    /// Parses the operand of `$elemMatch`: the conditions on the items of an array.
    func elements(_ operand: BSON) throws -> ElementTest {
        guard case .document(let conditions) = operand else { throw MongoError.badValue("$elemMatch takes an object.") }
        if conditions.isOperators, let name = conditions.keys.first, Self.documentOperators[name] == nil {
            return ElementTest(tree: try operators(conditions, of: .root), isOnMembers: false)
        }
        return ElementTest(tree: try document(conditions, at: .inside), isOnMembers: true)
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
        guard !items.isEmpty else { throw MongoError.failedToParse("$type takes at least one type.") }
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
        guard name.type.isNumber else {
            throw MongoError.typeMismatch("$type takes the number or the name of a type.")
        }
        guard let code = name.exactInt64, let type = code == 255 ? .minKey : BSONType(rawValue: Int(code)) else {
            throw MongoError.badValue("There is no type with this number.")
        }
        types.insert(type)
    }

    static func modulus(_ operand: BSON) throws -> LeafTest {
        guard case .array(let items) = operand else {
            throw MongoError.badValue("$mod takes an array of a divisor and a remainder.")
        }
        guard items.count >= 2 else { throw MongoError.badValue("$mod takes a remainder too.") }
        guard items.count == 2 else {
            throw MongoError.badValue("$mod takes a divisor and a remainder, and nothing else.")
        }
        guard items[0].type.isNumber else { throw MongoError.badValue("$mod takes a number as the divisor.") }
        guard items[1].type.isNumber else { throw MongoError.badValue("$mod takes a number as the remainder.") }
        guard let divisor = items[0].truncatedInt64, let remainder = items[1].truncatedInt64 else {
            throw MongoError.badValue("$mod takes a divisor and a remainder of 64 bits.")
        }
        guard divisor != 0 else { throw MongoError.badValue("$mod takes no divisor of 0.") }
        return .modulus(divisor: divisor, remainder: remainder)
    }

    static func size(_ operand: BSON) throws -> Int {
        guard let size = operand.exactInt64 else {
            throw MongoError.badValue("$size takes an integer.")
        }
        guard size >= 0 else { throw MongoError.badValue("$size takes no negative number.") }
        return Int(min(size, Int64(Int32.max)))
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
            guard let mask = operand.exactInt64 else { throw MongoError.failedToParse("\(name) takes an integer.") }
            guard mask >= 0, mask <= Int64(Int32.max) else {
                throw MongoError.failedToParse("\(name) takes a number from 0 on, of 32 bits.")
            }
            return (0..<31).filter { mask >> Int64($0) & 1 == 1 }
        default:
            throw MongoError.failedToParse(
                "\(name) takes an array, a number or binary data, not \(operand.type.alias).")
        }
    }

    private static func position(_ item: BSON, _ name: String) throws -> Int {
        let number: Int64? = if case .decimal128 = item { item.truncatedInt64 } else { item.exactInt64 }
        guard let number, number >= 0, number <= Int64(BitTest.maximumPosition) else {
            throw MongoError.badValue(
                "\(name) takes positions of bits from 0 on, of 32 bits.")
        }
        return Int(number)
    }
}
