internal import Glibc
internal import SealiteValues

/// Functions such as the square root and the sine for decimals (`Decimal128`), rounded to 34 digits.
///
/// Values that aren't finite, and angles of more than thirty digits, are computed as doubles.
enum DecimalFunctions {
    /// The magnitude of exponents above which the exponential function overflows or is zero.
    static let greatestExponent = Decimal128(20_000)
    /// The magnitude of angles from which on they are computed as doubles.
    static let greatestAngle = Decimal128("1E+30") ?? Decimal128(0)

    /// Returns the value of a function that `wide` computes, or `double` for numbers that aren't finite, and for those
    /// whose magnitude isn't below `limit`.
    static func value(
        _ number: Decimal128, below limit: Decimal128? = nil, _ double: (Double) -> Double,
        _ wide: (WideNumber) -> WideNumber
    ) -> Decimal128 {
        guard number.isFinite, limit.map({ number.magnitude.compared(to: $0) < 0 }) ?? true else {
            return Decimal128(double(number.doubleValue))
        }
        return wide(WideNumber(number)).decimal.withoutZerosOfExactResult
    }

    @Sendable static func exp(_ number: Decimal128) -> Decimal128 {
        guard !number.isNaN, !number.isInfinite, number.magnitude.compared(to: greatestExponent) < 0 else {
            if number.isNaN || number.isInfinite { return Decimal128(Glibc.exp(number.doubleValue)) }
            return number.isNegative ? .underflow : .infinity
        }
        return value(number, Glibc.exp) { $0.exponential }
    }

    /// Returns the square root; an exact one has half as many digits after the point as the number.
    @Sendable static func sqrt(_ number: Decimal128) -> Decimal128 {
        if number.isZero { return number }
        guard let exponent = number.exponentOfRoot else { return Decimal128(number.doubleValue.squareRoot()) }
        let root = WideNumber(number).squareRoot.decimal
        return root.multiplied(by: root).compared(to: number) == 0 ? root.scaled(toward: exponent) : root
    }

    /// Returns the logarithm with a base, as in MongoDB: the quotient of the two natural logarithms of 34 digits.
    static func log(_ number: Decimal128, base: Decimal128) -> Decimal128 {
        guard base.isFinite, number.isFinite else {
            return Decimal128(Glibc.log(number.doubleValue) / Glibc.log(base.doubleValue))
        }
        return WideNumber(number).logarithm.decimal.divided(by: WideNumber(base).logarithm.decimal)
    }

    static func pow(_ base: Decimal128, _ exponent: Decimal128) -> Decimal128 {
        guard base.isFinite, exponent.isFinite, !base.isZero else {
            let power = Decimal128(Glibc.pow(base.doubleValue, exponent.doubleValue))
            return power.isZero ? .underflow : power
        }
        if let count = exponent.exactInt64, count.magnitude <= 1 << 20 {
            return WideNumber(base).power(Int(count)).decimal
        }
        guard !base.isNegative else { return Decimal128(Glibc.pow(base.doubleValue, exponent.doubleValue)) }
        let logarithm = WideNumber(base).logarithm * WideNumber(exponent)
        guard WideNumber.isLess(logarithm.magnitude, WideNumber(20_000)) else {
            return logarithm.isNegative ? .underflow : .infinity
        }
        return logarithm.exponential.decimal
    }

    @Sendable static func atan(_ number: Decimal128) -> Decimal128 {
        guard !number.isInfinite else { return ((number.isNegative ? -WideNumber.pi : WideNumber.pi) / 2).decimal }
        return value(number, Glibc.atan) { $0.arcTangent }
    }

    static func atan2(_ y: Decimal128, _ x: Decimal128) -> Decimal128 {
        guard y.isFinite, x.isFinite, !y.isZero || !x.isZero else {
            return Decimal128(Glibc.atan2(y.doubleValue, x.doubleValue))
        }
        let (wideY, wideX) = (WideNumber(y), WideNumber(x))
        guard !wideX.isZero else { return (y.isNegative ? -(WideNumber.pi / 2) : WideNumber.pi / 2).decimal }
        let angle = (wideY / wideX).arcTangent
        guard wideX.isNegative else { return angle.decimal }
        return (y.isNegative ? angle - WideNumber.pi : angle + WideNumber.pi).decimal
    }

    @Sendable static func atanh(_ number: Decimal128) -> Decimal128 {
        guard number.magnitude.compared(to: Decimal128(1)) != 0 else {
            return number.isNegative ? Decimal128.infinity.negated : .infinity
        }
        return value(number, Glibc.atanh) { $0.areaTangent }
    }
}
