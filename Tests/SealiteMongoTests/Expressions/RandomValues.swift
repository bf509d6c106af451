import SealiteTestSupport
import SealiteValues

@testable import SealiteMongo

/// Values, operands and specifications by chance, with those at the edges of types among them.
struct RandomValues {
    private var random: SeededRandom

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    private mutating func next() -> UInt64 { random.next() }

    private static let integers: [BSON] = [
        0, 1, -1, 2, 7, 100, .int32(.max), .int32(.min), .int64(.max), .int64(.min), .int64(0),
    ]
    private static let doubles: [BSON] = [
        1.5, -0.0, 3.0, 1e300, -1e18, .double(.nan), .double(.infinity), .double(-.infinity),
    ]
    private static let decimals = [
        "1.5", "-1E+6000", "1E-6000", "NaN", "Infinity", "-Infinity", "0", "9223372036854775808",
    ]
    .compactMap { Decimal128($0).map { BSON.decimal128($0) } }
    private static let strings = [
        "", "a", "abc", "aé❤️", "\u{0}", "2020-01-31T12:00:00Z", "July 4th, 2017", "99999999-99-99", "%Y-%m-%d %z",
        "%V.%u.%G",
        "Europe/Berlin", "+05:30", "week", "month", "millisecond", "year", "mon", "base64", "string", "int", "(a+)+$",
        "i", ".*",
    ].map { BSON.string($0) }
    private static let dates = [0, .max, .min, 1_600_000_000_000].map { BSON.datetime(DateTime(milliseconds: $0)) }
    private static let others: [BSON] = [
        .null, .bool(true), .bool(false), .objectID(ObjectID("5f0000000000000000000000") ?? ObjectID()),
        .timestamp(Timestamp(seconds: .max, increment: .max)), .binary(Binary([1, 2, 255], subtype: 0)),
        .regex(Regex("a|b", options: "i")), .minKey, .maxKey, .code("x"),
    ]
    private static let scalars = integers + doubles + decimals + strings + dates + others
    private static let paths = [
        "$a", "$b", "$c", "$a.b", "$_id", "$$ROOT", "$$NOW", "$$REMOVE", "$d.e.f", "$$CURRENT.a",
    ]
    private static let names = ["a", "b", "c", "d", "_id", "a.b", "e"]

    private mutating func pick<Element>(_ items: [Element]) -> Element { items[Int(next() % UInt64(items.count))] }

    private mutating func chance(_ of: UInt64) -> Bool { next() % of == 0 }

    mutating func value(depth: Int) -> BSON {
        guard depth > 0, chance(3) else { return pick(Self.scalars) }
        let count = Int(next() % 4)
        guard chance(2) else { return .array((0..<count).map { _ in value(depth: depth - 1) }) }
        var document = MongoDocument()
        for _ in 0..<count { document[pick(["a", "b", "k", "v", "e", "f"])] = value(depth: depth - 1) }
        return .document(document)
    }

    mutating func document() -> MongoDocument {
        var document: MongoDocument = ["_id": BSON(Int(next() % 1000))]
        for name in ["a", "b", "c", "d"] where !chance(4) { document[name] = value(depth: 3) }
        return document
    }

    // MARK: Expressions

    mutating func expression(depth: Int) -> BSON {
        switch next() % 4 {
        case 0: return .string(pick(Self.paths))
        case 1 where depth > 0:
            let name = pick(ExpressionOperator.all.keys.sorted())
            return name == "$rand" ? 1 : .document([name: operand(of: name, depth: depth - 1)])
        default: return ["$literal": value(depth: 2)]
        }
    }

    private static let arguments = [
        "input", "in", "as", "cond", "if", "then", "else", "branches", "default", "vars", "initialValue", "date",
        "timezone", "format", "onNull",
        "onError", "dateString", "unit", "amount", "startDate", "endDate", "startOfWeek", "binSize", "year", "month",
        "day", "hour", "minute",
        "second", "millisecond", "isoWeekYear", "isoWeek", "isoDayOfWeek", "iso8601", "regex", "options", "find",
        "replacement", "chars", "to", "n",
        "sortBy", "field", "value", "inputs", "useLongestLength", "defaults", "limit",
    ]

    /// An operand that the operator may take: arguments in an array, or by those names that it knows.
    mutating func operand(of name: String, depth: Int) -> BSON {
        if let known = Self.known[name], !chance(4) {
            var document = MongoDocument()
            for argument in known where !chance(5) { document[argument] = argumentValue(argument, depth: depth) }
            return .document(document)
        }
        if chance(5) { return expression(depth: depth) }
        return .array((0..<Int(next() % 4)).map { _ in expression(depth: depth) })
    }

    /// The names of the arguments that operators take, of those that take some.
    private static let known: [String: [String]] = {
        var known: [String: [String]] = [:]
        for name in ExpressionOperator.all.keys {
            let taken = arguments.filter { argument in
                do {
                    _ = try AggregationExpression(parsing: .document([name: .document([argument: 1])]))
                    return true
                } catch {
                    return !"\(error)".contains("doesn't know")
                }
            }
            if taken.count < 12 { known[name] = taken }
        }
        return known
    }()

    private mutating func argumentValue(_ argument: String, depth: Int) -> BSON {
        switch argument {
        case "as": return .string(pick(["this", "x", "Y"]))
        case "vars": return ["x": expression(depth: depth)]
        case "branches": return [["case": expression(depth: depth), "then": expression(depth: depth)]]
        case "sortBy": return pick([1, -1, ["a": 1], ["b": -1, "a": 1]])
        case "field": return .string(pick(["a", "b", "x.y"]))
        case "useLongestLength": return .bool(chance(2))
        default: return expression(depth: depth)
        }
    }

    // MARK: Stages

    private static let members = [
        "path", "includeArrayIndex", "preserveNullAndEmptyArrays", "newRoot", "groupBy", "boundaries", "default",
        "output", "buckets", "granularity", "from",
        "localField", "foreignField", "as", "let", "pipeline", "startWith", "connectFromField", "connectToField",
        "maxDepth", "depthField", "size",
        "coll", "partitionBy", "sortBy", "field", "partitionByFields", "range", "into", "on", "_id", "x",
    ]

    mutating func specification(of name: String) -> BSON {
        if chance(6) { return value(depth: 2) }
        if chance(4) { return expression(depth: 1) }
        let isNamed = !["$match", "$project", "$addFields", "$set", "$sort", "$facet", "$group"].contains(name)
        var document = MongoDocument()
        for _ in 0..<Int(1 + next() % 6) {
            let member = pick(isNamed ? Self.members : Self.names)
            document[member] = memberValue(member, name)
        }
        if name == "$group" { document["_id"] = expression(depth: 1) }
        return .document(document)
    }

    private mutating func memberValue(_ member: String, _ stage: String) -> BSON {
        switch member {
        case "path": return .string(pick(["$a", "$a.b", "$b"]))
        case "boundaries": return [0, 10, 100]
        case "buckets", "size": return BSON(Int(next() % 5))
        case "granularity": return .string(pick(["R5", "R80", "E192", "1-2-5", "POWERSOF2"]))
        case "range": return ["bounds": pick(["full", "partition", [0, 10]]), "step": pick([1, 2.5, 1000])]
        case "pipeline": return [["$limit": 1]]
        case "sortBy": return pick([["a": 1], ["_id": -1], ["b": 1, "a": 1]])
        case "output": return ["y": accumulator(isWindow: true)]
        case "from", "coll", "as", "localField", "foreignField", "connectFromField", "connectToField", "depthField",
            "field", "includeArrayIndex",
            "into", "on":
            return .string(pick(["a", "b", "a.b", "c"]))
        default:
            switch stage {
            case "$group": return accumulator(isWindow: false)
            case "$sort": return pick([1, -1])
            case "$facet": return [["$limit": 2]]
            case "$project" where chance(2): return pick([0, 1])
            default: return expression(depth: 2)
            }
        }
    }

    private mutating func accumulator(isWindow: Bool) -> BSON {
        let names = AccumulatorKind.all.keys.sorted() + (isWindow ? WindowFunctionKind.all.keys.sorted() : [])
        let name = pick(names)
        let named: MongoDocument = [
            "input": expression(depth: 1), "n": pick([1, 2, .int64(.max)]), "sortBy": ["a": 1],
            "output": expression(depth: 1), "by": pick([1, -1]),
            "unit": "hour", "p": [0.5, 1], "method": "approximate", "alpha": 0.5,
        ]
        var operand: BSON = expression(depth: 1)
        if chance(2) { operand = .document(MongoDocument(named.members.filter { _ in !chance(2) })) }
        if chance(4) { operand = [:] }
        var document: MongoDocument = [name: operand]
        if isWindow, chance(2) {
            let ends: [BSON] = [
                ["unbounded", "current"], [-1, 1], ["current", "unbounded"], [.int32(.min), .int32(.max)], [2, 5],
            ]
            document["window"] = [chance(2) ? "documents" : "range": pick(ends)]
        }
        return .document(document)
    }
}
