internal import Glibc
internal import SealiteValues

extension ExpressionOperator {
    /// The operators for powers, roots and logarithms.
    static let powers: [ExpressionOperator] = [
        .init("$exp") { try RealFunction("$exp", exp, DecimalFunctions.exp).value($0) },
        .init("$sqrt") { argument in
            if BSONNumber(argument)?.isNegative == true {
                throw MongoError(code: 28714, "$sqrt takes no negative number.")
            }
            return try RealFunction("$sqrt", sqrt, DecimalFunctions.sqrt).value(argument)
        },
        .init("$ln") { try logarithm($0, "$ln", 28766, log, DecimalFunctions.ln) },
        .init("$log10") { try logarithm($0, "$log10", 28761, log10, DecimalFunctions.log10) },
        .init("$log", 2...2, logarithmOfBase),
        .init("$pow", 2...2, power),
    ]

    private static func logarithm(
        _ argument: BSON?, _ name: String, _ code: Int, _ function: @escaping @Sendable (Double) -> Double,
        _ decimal: @escaping @Sendable (Decimal128) -> Decimal128
    ) throws -> BSON? {
        if let number = BSONNumber(argument) {
            if number.isNaN { return .double(.nan) }
            guard !number.isNegative, !number.isZero else {
                throw MongoError(code: code, "\(name) takes a positive number.")
            }
        }
        return try RealFunction(name, function, decimal).value(argument)
    }

    @Sendable private static func logarithmOfBase(_ arguments: OperatorArguments) throws -> BSON? {
        if arguments.contains(where: { $0.isNullish }) { return .null }
        guard let number = BSONNumber(arguments[0]) else {
            throw MongoError(code: 28756, "$log takes numbers, not \(arguments[0].typeName).")
        }
        guard let base = BSONNumber(arguments[1]) else {
            throw MongoError(code: 28757, "$log takes a number as its base, not \(arguments[1].typeName).")
        }
        if number.isNaN || base.isNaN { return .double(.nan) }
        guard !number.isNegative, !number.isZero else { throw MongoError(code: 28758, "$log takes a positive number.") }
        guard !base.isNegative, !base.isZero, base.bson.compared(to: .int32(1)) != 0 else {
            throw MongoError(code: 28759, "$log takes a positive number other than 1 as its base.")
        }
        guard number.isDecimal || base.isDecimal else { return .double(log(number.double) / log(base.double)) }
        return .decimal128(DecimalFunctions.log(number.decimal, base: base.decimal))
    }

    @Sendable private static func power(_ arguments: OperatorArguments) throws -> BSON? {
        guard let (base, exponent) = try Arithmetic.pair(arguments, "$pow", 28762) else { return .null }
        guard !base.isZero || !exponent.isNegative else {
            throw MongoError(code: 28764, "$pow takes no negative power of 0.")
        }
        if base.isDecimal || exponent.isDecimal {
            return .decimal128(DecimalFunctions.pow(base.decimal, exponent.decimal))
        }
        if let integer = base.integer, let count = exponent.integer, let result = power(integer, count) {
            return BSONNumber(result, isWide: base.isInt64 || exponent.isInt64).bson
        }
        return .double(pow(base.double, exponent.double))
    }

    /// Returns the power of integers; nil if 64 bits can't represent it.
    private static func power(_ base: Int64, _ exponent: Int64) -> Int64? {
        if base == 1 { return 1 }
        if base == -1 { return exponent & 1 == 0 ? 1 : -1 }
        guard exponent >= 0 else { return nil }
        if base == 0 { return exponent == 0 ? 1 : 0 }
        guard exponent < 64 else { return nil }
        var result: Int64 = 1
        for _ in 0..<exponent {
            let (product, isTooLarge) = result.multipliedReportingOverflow(by: base)
            guard !isTooLarge else { return nil }
            result = product
        }
        return result
    }
}

extension ExpressionOperator {
    /// The trigonometric and hyperbolic operators, in radians.
    static let trigonometry: [ExpressionOperator] = [
        real("$sin", finite, sin, DecimalFunctions.sin), real("$cos", finite, cos, DecimalFunctions.cos),
        real("$tan", finite, tan, DecimalFunctions.tan),
        real("$asin", -1...1, asin, DecimalFunctions.asin), real("$acos", -1...1, acos, DecimalFunctions.acos),
        real("$atan", nil, atan, DecimalFunctions.atan),
        real("$sinh", nil, sinh, DecimalFunctions.sinh), real("$cosh", nil, cosh, DecimalFunctions.cosh),
        real("$tanh", nil, tanh, DecimalFunctions.tanh),
        real("$asinh", nil, asinh, DecimalFunctions.asinh),
        real("$acosh", 1...Double.infinity, acosh, DecimalFunctions.acosh),
        real("$atanh", -1...1, atanh, DecimalFunctions.atanh),
        real("$degreesToRadians", nil, { $0 * (Double.pi / 180) }, DecimalFunctions.radians),
        real("$radiansToDegrees", nil, { $0 * (180 / Double.pi) }, DecimalFunctions.degrees),
        .init("$atan2", 2...2) { arguments in
            guard let (y, x) = try Arithmetic.pair(arguments, "$atan2", 51044) else { return .null }
            return y.isDecimal || x.isDecimal
                ? .decimal128(DecimalFunctions.atan2(y.decimal, x.decimal)) : .double(atan2(y.double, x.double))
        },
    ]

    private static let finite = -Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude

    /// Returns an operator for a function of one number, which throws `MongoError` if the number is outside of a range;
    /// nil allows all numbers.
    private static func real(
        _ name: String, _ range: ClosedRange<Double>?, _ function: @escaping @Sendable (Double) -> Double,
        _ decimal: @escaping @Sendable (Decimal128) -> Decimal128
    ) -> ExpressionOperator {
        .init(name) { argument in
            if let range, let number = BSONNumber(argument), !number.isNaN, !contains(range, number) {
                let numbers =
                    range == finite ? "finite numbers" : "numbers from \(range.lowerBound) to \(range.upperBound)"
                throw MongoError(code: 50989, "\(name) takes \(numbers).")
            }
            return try RealFunction(name, function, decimal).value(argument)
        }
    }

    /// Returns a Boolean value that says whether a number is in a range, exactly. The range of finite doubles contains
    /// all finite decimals.
    private static func contains(_ range: ClosedRange<Double>, _ number: BSONNumber) -> Bool {
        guard case .decimal(let value) = number else { return range.contains(number.double) }
        guard range != finite else { return value.isFinite }
        return value.compared(to: Decimal128(range.lowerBound)) >= 0
            && (range.upperBound == .infinity || value.compared(to: Decimal128(range.upperBound)) <= 0)
    }
}

/// A function of one number, with an implementation for doubles and one for decimals.
struct RealFunction {
    let name: String
    let double: (Double) -> Double
    let decimal: (Decimal128) -> Decimal128

    init(_ name: String, _ double: @escaping (Double) -> Double, _ decimal: @escaping (Decimal128) -> Decimal128) {
        (self.name, self.double, self.decimal) = (name, double, decimal)
    }

    /// Returns the function's value for an argument; null if it is null, undefined or missing. Throws `MongoError` for
    /// any other value that isn't a number.
    func value(_ argument: BSON?) throws -> BSON? {
        if argument.isNullish { return .null }
        switch BSONNumber(argument) {
        case .decimal(let value): return .decimal128(decimal(value))
        case let number?: return .double(double(number.double))
        case nil: throw MongoError(code: 28765, "\(name) takes numbers, not \(argument.typeName).")
        }
    }
}
