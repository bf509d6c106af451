internal import Glibc
internal import SealiteValues

extension ExpressionOperator {
    /// The operators for powers, roots and logarithms.
    static let powers: [ExpressionOperator] = [
        real("$exp", exp, decimal: DecimalFunctions.exp),
        real("$sqrt", sqrt, check: checkRoot, decimal: DecimalFunctions.sqrt),
        .init("$sigmoid") { operand, parser in .call(sigmoid, [try parser.parse(operand)]) },
        real("$ln", log, check: { try checkLogarithm($0, "$ln", 28766) }) { $0.logarithm },
        real("$log10", log10, check: { try checkLogarithm($0, "$log10", 28761) }) { $0.logarithm / WideNumber.ln10 },
        .init("$log", 2...2, logarithmOfBase),
        .init("$pow", 2...2, power),
    ]

    @Sendable private static func checkRoot(_ number: BSONNumber) throws -> BSON? {
        try require(!number.isNegative, 28714, "$sqrt takes no negative number.")
        return nil
    }

    /// Returns 1/(1 + e⁻ˣ), computed step by step in the type of the result. An array is an operand, not the list of
    /// arguments.
    @Sendable private static func sigmoid(_ arguments: OperatorArguments) throws -> BSON? {
        if arguments[0].isNullish { return .null }
        let number = try requireNumber(arguments[0], 14, "$sigmoid takes numbers")
        guard case .decimal(let value) = number else { return .double(1 / (1 + exp(-number.double))) }
        return .decimal128(Decimal128(1).divided(by: DecimalFunctions.exp(value.negated).adding(Decimal128(1))))
    }

    private static func checkLogarithm(_ number: BSONNumber, _ name: String, _ code: Int) throws -> BSON? {
        if number.isNaN { return .double(.nan) }
        try require(!number.isNegative && !number.isZero, code, "\(name) takes a positive number.")
        return nil
    }

    @Sendable private static func logarithmOfBase(_ arguments: OperatorArguments) throws -> BSON? {
        if arguments.contains(where: { $0.isNullish }) { return .null }
        let number = try requireNumber(arguments[0], 28756, "$log takes numbers")
        let base = try requireNumber(arguments[1], 28757, "$log takes a number as its base")
        if number.isNaN || base.isNaN { return .double(.nan) }
        try require(!number.isNegative && !number.isZero, 28758, "$log takes a positive number.")
        try require(
            !base.isNegative && !base.isZero && base.bson.compared(to: .int32(1)) != 0, 28759,
            "$log takes a positive number other than 1 as its base.")
        guard number.isDecimal || base.isDecimal else { return .double(log(number.double) / log(base.double)) }
        return .decimal128(DecimalFunctions.log(number.decimal, base: base.decimal))
    }

    @Sendable private static func power(_ arguments: OperatorArguments) throws -> BSON? {
        if arguments.contains(where: { $0.isNullish }) { return .null }
        let base = try requireNumber(arguments[0], 28762, "$pow takes a number as its base")
        let exponent = try requireNumber(arguments[1], 28763, "$pow takes a number as its exponent")
        try require(!base.isZero || !exponent.isNegative, 28764, "$pow takes no negative power of 0.")
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
        real("$sin", in: finite, sin, below: DecimalFunctions.greatestAngle) { $0.sineAndCosine.sine },
        real("$cos", in: finite, cos, below: DecimalFunctions.greatestAngle) { $0.sineAndCosine.cosine },
        real("$tan", in: finite, tan, below: DecimalFunctions.greatestAngle) { $0.tangent },
        real("$asin", in: -1...1, asin) { $0.arcSine }, real("$acos", in: -1...1, acos) { $0.arcCosine },
        real("$atan", atan, decimal: DecimalFunctions.atan),
        real("$sinh", sinh, below: DecimalFunctions.greatestExponent) { $0.hyperbolicSineAndCosine.sine },
        real("$cosh", cosh, below: DecimalFunctions.greatestExponent) { $0.hyperbolicSineAndCosine.cosine },
        real("$tanh", tanh, below: DecimalFunctions.greatestExponent) { $0.hyperbolicTangent },
        real("$asinh", asinh) { $0.areaSine },
        real("$acosh", in: 1...Double.infinity, acosh) { (($0 - .one) * ($0 + .one)).squareRoot.areaSine },
        real("$atanh", in: -1...1, atanh, decimal: DecimalFunctions.atanh),
        real("$degreesToRadians", { $0 * (Double.pi / 180) }) { $0 * WideNumber.pi / 180 },
        real("$radiansToDegrees", { $0 * (180 / Double.pi) }) { $0 * WideNumber(180) / WideNumber.pi },
        .init("$atan2", 2...2) { arguments in
            guard let (y, x) = try Arithmetic.pair(arguments, "$atan2", 51044) else { return .null }
            return y.isDecimal || x.isDecimal
                ? .decimal128(DecimalFunctions.atan2(y.decimal, x.decimal)) : .double(atan2(y.double, x.double))
        },
    ]

    private static let finite = -Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude

    /// Returns an operator for a function of one number, which throws `MongoError` if the number is outside of a range;
    /// nil allows all numbers. `check` throws for other numbers, and may return the result. Decimals whose magnitude
    /// isn't below `limit` are computed as doubles.
    private static func real(
        _ name: String, in range: ClosedRange<Double>? = nil, _ function: @escaping @Sendable (Double) -> Double,
        below limit: Decimal128? = nil, check: @escaping @Sendable (BSONNumber) throws -> BSON? = { _ in nil },
        _ wide: @escaping @Sendable (WideNumber) -> WideNumber
    ) -> ExpressionOperator {
        real(
            name, in: range, function, check: check,
            decimal: { DecimalFunctions.value($0, below: limit, function, wide) })
    }

    private static func real(
        _ name: String, in range: ClosedRange<Double>? = nil, _ function: @escaping @Sendable (Double) -> Double,
        check: @escaping @Sendable (BSONNumber) throws -> BSON? = { _ in nil },
        decimal: @escaping @Sendable (Decimal128) -> Decimal128
    ) -> ExpressionOperator {
        .init(name) { argument in
            if argument.isNullish { return .null }
            let number = try requireNumber(argument, 28765, "\(name) takes numbers")
            if let range, !number.isNaN, !contains(range, number) {
                let numbers =
                    range == finite ? "finite numbers" : "numbers from \(range.lowerBound) to \(range.upperBound)"
                throw MongoError(code: 50989, "\(name) takes \(numbers).")
            }
            if let result = try check(number) { return result }
            if case .decimal(let value) = number { return .decimal128(decimal(value)) }
            return .double(function(number.double))
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
