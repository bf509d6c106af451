internal import Glibc
internal import SealiteValues

extension ExpressionOperator {
    /// The operators for powers, roots and logarithms.
    static let powers: [ExpressionOperator] = [
        .init("$exp") { try RealFunction("$exp", exp, DecimalFunctions.exp).value($0) },
        .init("$sqrt") { argument in
            if Number(argument)?.isNegative == true { throw MongoError(code: 28714, "$sqrt takes no negative number.") }
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
        if let number = Number(argument) {
            if number.isNaN { return .double(.nan) }
            guard !number.isNegative, !number.isZero else {
                throw MongoError(code: code, "\(name) takes a positive number.")
            }
        }
        return try RealFunction(name, function, decimal).value(argument)
    }

    @Sendable private static func logarithmOfBase(_ arguments: Arguments) throws -> BSON? {
        if arguments.contains(where: { $0.isNullish }) { return .null }
        guard let number = Number(arguments[0]) else {
            throw MongoError(code: 28756, "$log takes numbers, not \(arguments[0].typeName).")
        }
        guard let base = Number(arguments[1]) else {
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

    @Sendable private static func power(_ arguments: Arguments) throws -> BSON? {
        guard let (base, exponent) = try Arithmetic.pair(arguments, "$pow", 28762) else { return .null }
        guard !base.isZero || !exponent.isNegative else {
            throw MongoError(code: 28764, "$pow takes no negative power of 0.")
        }
        if base.isDecimal || exponent.isDecimal {
            return .decimal128(DecimalFunctions.pow(base.decimal, exponent.decimal))
        }
        if let integer = base.integer, let count = exponent.integer, let result = power(integer, count) {
            return Number(result, isWide: base.isInt64 || exponent.isInt64).bson
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
