internal import SealiteValues

extension ExpressionOperator {
    /// The operators that round to integers or to decimal places.
    static let rounding: [ExpressionOperator] = [
        .init("$ceil") { try Rounding.whole($0, "$ceil", .up) },
        .init("$floor") { try Rounding.whole($0, "$floor", .down) },
        .init("$trunc", 1...2) { try Rounding.places($0, "$trunc", .towardZero) },
        .init("$round", 1...2) { try Rounding.places($0, "$round", .toNearestOrEven) },
    ]
}

/// Rounding of numbers of any type.
enum Rounding {
    static func whole(_ argument: BSON?, _ name: String, _ rule: FloatingPointRoundingRule) throws -> BSON? {
        if argument.isNullish { return .null }
        switch Number(argument) {
        case .double(let value): return .double(value.rounded(rule))
        case .decimal(let value): return .decimal128(value.rounded(places: 0, rule: rule))
        case let number?: return number.bson
        case nil: throw MongoError(code: 28765, "\(name) takes numbers, not \(argument.typeName).")
        }
    }

    static func places(_ arguments: Arguments, _ name: String, _ rule: FloatingPointRoundingRule) throws -> BSON? {
        let argument = arguments[0]
        if argument.isNullish || arguments.count > 1 && arguments[1].isNullish { return .null }
        guard let number = Number(argument) else {
            throw MongoError(code: 51081, "\(name) takes numbers, not \(argument.typeName).")
        }
        let places = try arguments.count > 1 ? places(arguments[1], name) : 0
        switch number {
        case .decimal(let value): return .decimal128(value.rounded(places: places, rule: rule))
        case .double(let value): return .double(round(value, places, rule))
        case .int32, .int64:
            guard places < 0, let value = number.integer else { return number.bson }
            return try round(value, -places, rule, isWide: number.isInt64, name)
        }
    }

    private static func places(_ argument: BSON?, _ name: String) throws -> Int {
        guard let places = Number(argument)?.exactInteger.flatMap({ Int32(exactly: $0) }) else {
            throw MongoError(code: 51082, "\(name) takes a whole number of decimal places.")
        }
        guard (-20...100).contains(places) else {
            throw MongoError(code: 51083, "\(name) takes -20 to 100 decimal places.")
        }
        return Int(places)
    }

    /// Returns a double rounded to a number of decimal places, negative for places before the point. The double's
    /// shortest decimal text is rounded, not its exact binary value.
    private static func round(_ value: Double, _ places: Int, _ rule: FloatingPointRoundingRule) -> Double {
        guard value.isFinite else { return value }
        guard places != 0 else { return value.rounded(rule) }
        return Decimal128("\(value)")?.rounded(places: places, rule: rule).doubleValue ?? value
    }

    /// Returns an integer rounded so that its last `digits` digits are zeros; throws `MongoError` if the result doesn't
    /// fit into 64 bits.
    private static func round(
        _ value: Int64, _ digits: Int, _ rule: FloatingPointRoundingRule, isWide: Bool, _ name: String
    ) throws -> BSON {
        var unit: Int128 = 1
        for _ in 0..<digits { unit *= 10 }
        let (quotient, remainder) = Int128(value).quotientAndRemainder(dividingBy: unit)
        var rounded = quotient
        if rule == .toNearestOrEven {
            let twice = remainder.magnitude * 2
            if twice > unit.magnitude || twice == unit.magnitude && quotient & 1 == 1 { rounded += value < 0 ? -1 : 1 }
        }
        guard let result = Int64(exactly: rounded * unit) else {
            throw MongoError(code: 51080, "\(name) gives an integer of more than 64 bits.")
        }
        return Number(result, isWide: isWide).bson
    }
}
