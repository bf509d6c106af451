internal import SealiteValues

extension ExpressionOperator {
    /// The operators of the four basic operations, the remainder and the absolute value.
    static let arithmetic: [ExpressionOperator] = [
        .init("$add", 0..., Arithmetic.add),
        .init("$subtract", 2...2, Arithmetic.subtract),
        .init("$multiply", 0..., Arithmetic.multiply),
        .init("$divide", 2...2, Arithmetic.divide),
        .init("$mod", 2...2, Arithmetic.mod),
        .init("$abs", Arithmetic.abs),
    ]
}

/// Arithmetic over numbers and dates.
enum Arithmetic {
    static func add(_ arguments: OperatorArguments) throws -> BSON? {
        var sum = NumberSum()
        var date: DateTime?
        for argument in arguments {
            if let number = BSONNumber(argument) {
                sum.add(number)
            } else if case .datetime(let added) = argument {
                try require(date == nil, 16612, "$add takes one date at most.")
                date = added
            } else if argument.isNullish {
                return .null
            } else {
                throw MongoError(code: 14, "$add takes numbers and dates, not \(argument.typeName).")
            }
        }
        guard let date else { return sum.total.bson }
        return .datetime(try date.adding(sum.total, of: "$add"))
    }

    static func subtract(_ arguments: OperatorArguments) throws -> BSON? {
        let (left, right) = (arguments[0], arguments[1])
        if left.isNullish || right.isNullish { return .null }
        switch (BSONNumber(left), BSONNumber(right), left, right) {
        case (let left?, let right?, _, _): return left.subtracting(right).bson
        case (_, _, .datetime(let left), .datetime(let right)):
            let (difference, isTooLarge) = left.milliseconds.subtractingReportingOverflow(right.milliseconds)
            try require(!isTooLarge, DateTime.overflow("$subtract"))
            return .int64(difference)
        case (_, let right?, .datetime(let left), _):
            return .datetime(try left.adding(BSONNumber.int32(0).subtracting(right), of: "$subtract"))
        default:
            throw MongoError(code: 14, "$subtract can't take \(right.typeName) from \(left.typeName).")
        }
    }

    static func multiply(_ arguments: OperatorArguments) throws -> BSON? {
        var product = BSONNumber.int32(1)
        for argument in arguments {
            if argument.isNullish { return .null }
            let number = try requireNumber(argument, 14, "$multiply takes numbers")
            product = product.multiplied(by: number)
        }
        return product.bson
    }

    static func divide(_ arguments: OperatorArguments) throws -> BSON? {
        guard let (left, right) = try pair(arguments, "$divide", 14) else { return .null }
        try require(!right.isZero, .divisionByZero)
        return left.isDecimal || right.isDecimal
            ? .decimal128(left.decimal.divided(by: right.decimal)) : .double(left.double / right.double)
    }

    static func mod(_ arguments: OperatorArguments) throws -> BSON? {
        guard let (left, right) = try pair(arguments, "$mod", 16611) else { return .null }
        let isDecimal = left.isDecimal || right.isDecimal
        try require(
            !right.isZero,
            isDecimal ? MongoError(code: 5_733_415, MongoError.remainderByZero.message) : .remainderByZero)
        if isDecimal { return .decimal128(left.decimal.remainder(dividingBy: right.decimal)) }
        if let dividend = left.integer, let divisor = right.integer {
            return BSONNumber(divisor == -1 ? 0 : dividend % divisor, isWide: left.isInt64 || right.isInt64).bson
        }
        return .double(left.double.truncatingRemainder(dividingBy: right.double))
    }

    static func abs(_ argument: BSON?) throws -> BSON? {
        if argument.isNullish { return .null }
        switch BSONNumber(argument) {
        case .int32(let value): return BSONNumber(Swift.abs(Int64(value)), isWide: false).bson
        case .int64(.min): throw MongoError(code: 28680, "$abs can't take the lowest integer of 64 bits.")
        case .int64(let value): return .int64(Swift.abs(value))
        case .double(let value): return .double(Swift.abs(value))
        case .decimal(let value): return .decimal128(value.isNegative ? Decimal128(0).subtracting(value) : value)
        case nil: throw MongoError(code: 28765, "$abs takes numbers, not \(argument.typeName).")
        }
    }

    /// Returns the two arguments of the operator `name` as numbers; nil if one is null, undefined or missing. Throws
    /// `MongoError` with `code` for values of other types.
    static func pair(_ arguments: OperatorArguments, _ name: String, _ code: Int) throws -> (BSONNumber, BSONNumber)? {
        let (left, right) = (arguments[0], arguments[1])
        if left.isNullish || right.isNullish { return nil }
        guard let left = BSONNumber(left), let right = BSONNumber(right) else {
            throw MongoError(code: code, "\(name) takes numbers, not \(left.typeName) and \(right.typeName).")
        }
        return (left, right)
    }
}

extension BSONNumber {
    /// Returns the sum in the wider of the two types, or in a still wider type if the sum overflows.
    func adding(_ other: BSONNumber) -> BSONNumber {
        var sum = NumberSum()
        sum.add(self)
        sum.add(other)
        return sum.total
    }

    /// Returns the difference in the wider of the two types, or in a still wider type if the difference overflows.
    func subtracting(_ other: BSONNumber) -> BSONNumber {
        combined(with: other, { $0.subtractingReportingOverflow($1) }, -, { $0.subtracting($1) })
            ?? .double(double - other.double)
    }

    /// Returns the product in the wider of the two types, or in a still wider type if the product overflows.
    func multiplied(by other: BSONNumber) -> BSONNumber { product(with: other) ?? .double(double * other.double) }

    /// Returns the sum in the wider of the two types; nil if it is an integer of more than 64 bits.
    func sum(with other: BSONNumber) -> BSONNumber? {
        combined(with: other, { $0.addingReportingOverflow($1) }, +, { $0.adding($1) })
    }

    /// Returns the product in the wider of the two types; nil if it is an integer of more than 64 bits.
    func product(with other: BSONNumber) -> BSONNumber? {
        combined(with: other, { $0.multipliedReportingOverflow(by: $1) }, *, { $0.multiplied(by: $1) })
    }

    /// Returns the result of an operation in the wider of the two types; nil if it is an integer of more than 64 bits.
    @inline(__always)
    private func combined(
        with other: BSONNumber, _ integers: (Int64, Int64) -> (partialValue: Int64, overflow: Bool),
        _ doubles: (Double, Double) -> Double, _ decimals: (Decimal128, Decimal128) -> Decimal128
    ) -> BSONNumber? {
        if isDecimal || other.isDecimal { return .decimal(decimals(decimal, other.decimal)) }
        guard let left = integer, let right = other.integer else { return .double(doubles(double, other.double)) }
        let (result, isTooLarge) = integers(left, right)
        return isTooLarge ? nil : BSONNumber(result, isWide: isInt64 || other.isInt64)
    }
}

extension DateTime {
    static func overflow(_ name: String) -> MongoError {
        MongoError(code: 15, "\(name) computes a date, or a difference of dates, that is out of range.")
    }

    /// Returns the time a number of milliseconds later; the number is rounded. Throws `MongoError` 15 if the result of
    /// the operator `name` is out of range.
    func adding(_ number: BSONNumber, of name: String) throws -> DateTime {
        let distance: Int64? =
            switch number {
            case .int32(let value): Int64(value)
            case .int64(let value): value
            case .double(let value): Int64(exactly: value.rounded(.toNearestOrAwayFromZero))
            case .decimal(let value): Int64(exactly: value.rounded(places: 0, rule: .toNearestOrEven))
            }
        guard let distance, case let (sum, isTooLarge) = milliseconds.addingReportingOverflow(distance), !isTooLarge
        else { throw Self.overflow(name) }
        return DateTime(milliseconds: sum)
    }
}

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
        switch BSONNumber(argument) {
        case .double(let value): return .double(value.rounded(rule))
        case .decimal(let value): return .decimal128(value.quantized(places: 0, rule: rule) ?? .nan)
        case let number?: return number.bson
        case nil: throw MongoError(code: 28765, "\(name) takes numbers, not \(argument.typeName).")
        }
    }

    static func places(_ arguments: OperatorArguments, _ name: String, _ rule: FloatingPointRoundingRule) throws
        -> BSON?
    {
        let argument = arguments[0]
        if argument.isNullish || arguments.count > 1 && arguments[1].isNullish { return .null }
        let number = try requireNumber(argument, 51081, "\(name) takes numbers")
        let places = try arguments.count > 1 ? places(arguments[1], name) : 0
        switch number {
        case .decimal(let value):
            return .decimal128(
                value.quantized(places: places, rule: rule) ?? value.rounded(places: places, rule: rule))
        case .double(let value): return .double(round(value, places, rule))
        case .int32, .int64:
            guard places < 0, let value = number.integer else { return number.bson }
            return try round(value, -places, rule, isWide: number.isInt64, name)
        }
    }

    private static func places(_ argument: BSON?, _ name: String) throws -> Int {
        let number = try requireNumber(argument, 16004, "\(name) takes a number of decimal places")
        try require(
            number.isFinite || number.isDecimal && number.isNaN, 31109,
            "\(name) takes a finite number of decimal places.")
        let places = try require(
            number.exactInteger.flatMap({ Int32(exactly: $0) }), 51082,
            "\(name) takes a whole number of decimal places.")
        try require((-20...100).contains(places), 51083, "\(name) takes -20 to 100 decimal places.")
        return Int(places)
    }

    /// Returns a double rounded to a number of decimal places, negative for places before the point. The first 34 digits
    /// of its exact binary value are rounded: 0.29 is somewhat less, and truncated to two places becomes 0.28.
    private static func round(_ value: Double, _ places: Int, _ rule: FloatingPointRoundingRule) -> Double {
        guard value.isFinite else { return value }
        guard places != 0 else { return value.rounded(rule) }
        return Decimal128(exactDigitsOf: value).rounded(places: places, rule: rule).doubleValue
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
        let result = try require(
            Int64(exactly: rounded * unit), 51080, "\(name) gives an integer of more than 64 bits.")
        return BSONNumber(result, isWide: isWide).bson
    }
}

extension ExpressionOperator {
    /// The operators on the bits of integers, such as `$bitAnd`.
    static let bits: [ExpressionOperator] = [
        bits("$bitAnd", start: -1) { $0 & $1 }, bits("$bitOr", start: 0) { $0 | $1 },
        bits("$bitXor", start: 0) { $0 ^ $1 },
        .init("$bitNot") { argument in
            switch argument {
            case nil, .null, .undefined: return .null
            case .int32(let value): return .int32(~value)
            case .int64(let value): return .int64(~value)
            default: throw MongoError(code: 28765, "$bitNot takes integers, not \(argument.typeName).")
            }
        },
    ]

    private static func bits(
        _ name: String, start: Int64, _ operation: @escaping @Sendable (Int64, Int64) -> Int64
    ) -> ExpressionOperator {
        .init(name, 0...) { arguments in
            var (result, isWide, hasNull) = (start, false, false)
            for argument in arguments {
                if argument.isNullish {
                    hasNull = true
                    continue
                }
                guard let number = BSONNumber(argument), let integer = number.integer else {
                    throw MongoError(code: 14, "\(name) takes integers, not \(argument.typeName).")
                }
                isWide = isWide || number.isInt64
                result = operation(result, integer)
            }
            return hasNull ? .null : isWide ? .int64(result) : .int32(Int32(truncatingIfNeeded: result))
        }
    }
}
