internal import Glibc
internal import SealiteValues

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
            if let range, let number = Number(argument), !number.isNaN, !contains(range, number) {
                let numbers =
                    range == finite ? "finite numbers" : "numbers from \(range.lowerBound) to \(range.upperBound)"
                throw MongoError(code: 50989, "\(name) takes \(numbers).")
            }
            return try RealFunction(name, function, decimal).value(argument)
        }
    }

    /// Returns a Boolean value that says whether a number is in a range, exactly. The range of finite doubles contains
    /// all finite decimals.
    private static func contains(_ range: ClosedRange<Double>, _ number: Number) -> Bool {
        guard case .decimal(let value) = number else { return range.contains(number.double) }
        guard range != finite else { return value.isFinite }
        return value.compared(to: Decimal128(range.lowerBound)) >= 0
            && (range.upperBound == .infinity || value.compared(to: Decimal128(range.upperBound)) <= 0)
    }
}
