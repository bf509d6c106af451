internal import Glibc
internal import SealiteValues

/// Functions such as the square root and the sine for decimals (`Decimal128`), rounded to 34 digits.
///
/// Values that aren't finite, and angles of more than thirty digits, are computed as doubles.
enum DecimalFunctions {
    /// The magnitude of exponents above which the exponential function overflows or is zero.
    private static let greatestExponent = Decimal128(20_000)
    private static let greatestAngle = Decimal128("1E+30") ?? Decimal128(0)

    private static func value(
        _ number: Decimal128, below limit: Decimal128? = nil, _ double: (Double) -> Double,
        _ wide: (WideNumber) -> WideNumber
    ) -> Decimal128 {
        guard number.isFinite, limit.map({ number.magnitude.compared(to: $0) < 0 }) ?? true else {
            return Decimal128(double(number.doubleValue))
        }
        return wide(WideNumber(number)).decimal
    }

    @Sendable static func exp(_ number: Decimal128) -> Decimal128 {
        value(number, below: greatestExponent, Glibc.exp) { $0.exponential }
    }

    @Sendable static func sqrt(_ number: Decimal128) -> Decimal128 { value(number, Glibc.sqrt) { $0.squareRoot } }

    @Sendable static func ln(_ number: Decimal128) -> Decimal128 { value(number, Glibc.log) { $0.logarithm } }

    @Sendable static func log10(_ number: Decimal128) -> Decimal128 {
        value(number, Glibc.log10) { $0.logarithm / WideNumber.ln10 }
    }

    @Sendable static func log(_ number: Decimal128, base: Decimal128) -> Decimal128 {
        guard base.isFinite else { return Decimal128(Glibc.log(number.doubleValue) / Glibc.log(base.doubleValue)) }
        return value(number, { Glibc.log($0) / Glibc.log(base.doubleValue) }) {
            $0.logarithm / WideNumber(base).logarithm
        }
    }

    @Sendable static func pow(_ base: Decimal128, _ exponent: Decimal128) -> Decimal128 {
        guard base.isFinite, exponent.isFinite, !base.isZero else {
            return Decimal128(Glibc.pow(base.doubleValue, exponent.doubleValue))
        }
        if let count = exponent.exactInt64, count.magnitude <= 1 << 20 {
            return WideNumber(base).power(Int(count)).decimal
        }
        guard !base.isNegative else { return Decimal128(Glibc.pow(base.doubleValue, exponent.doubleValue)) }
        let logarithm = WideNumber(base).logarithm * WideNumber(exponent)
        guard WideNumber.isLess(logarithm.magnitude, WideNumber(20_000)) else {
            return logarithm.isNegative ? Decimal128(0) : .infinity
        }
        return logarithm.exponential.decimal
    }

    // MARK: Circles

    @Sendable static func sin(_ number: Decimal128) -> Decimal128 {
        value(number, below: greatestAngle, Glibc.sin) { $0.sineAndCosine.sine }
    }

    @Sendable static func cos(_ number: Decimal128) -> Decimal128 {
        value(number, below: greatestAngle, Glibc.cos) { $0.sineAndCosine.cosine }
    }

    @Sendable static func tan(_ number: Decimal128) -> Decimal128 {
        value(number, below: greatestAngle, Glibc.tan) { number in
            let (sine, cosine) = number.sineAndCosine
            return sine / cosine
        }
    }

    @Sendable static func asin(_ number: Decimal128) -> Decimal128 {
        value(number, Glibc.asin) { sine in
            let cosine = ((WideNumber.one - sine) * (WideNumber.one + sine)).squareRoot
            guard !cosine.isZero else { return sine.isNegative ? -(WideNumber.pi / 2) : WideNumber.pi / 2 }
            return (sine / cosine).arcTangent
        }
    }

    @Sendable static func acos(_ number: Decimal128) -> Decimal128 {
        value(number, Glibc.acos) { cosine in
            let sum = WideNumber.one + cosine
            guard !sum.isZero else { return WideNumber.pi }
            return ((WideNumber.one - cosine) / sum).squareRoot.arcTangent * WideNumber(2)
        }
    }

    @Sendable static func atan(_ number: Decimal128) -> Decimal128 {
        guard !number.isInfinite else { return ((number.isNegative ? -WideNumber.pi : WideNumber.pi) / 2).decimal }
        return value(number, Glibc.atan) { $0.arcTangent }
    }

    @Sendable static func atan2(_ y: Decimal128, _ x: Decimal128) -> Decimal128 {
        guard y.isFinite, x.isFinite, !y.isZero || !x.isZero else {
            return Decimal128(Glibc.atan2(y.doubleValue, x.doubleValue))
        }
        let (wideY, wideX) = (WideNumber(y), WideNumber(x))
        guard !wideX.isZero else { return (y.isNegative ? -(WideNumber.pi / 2) : WideNumber.pi / 2).decimal }
        let angle = (wideY / wideX).arcTangent
        guard wideX.isNegative else { return angle.decimal }
        return (y.isNegative ? angle - WideNumber.pi : angle + WideNumber.pi).decimal
    }

    // MARK: Hyperbolas

    @Sendable static func sinh(_ number: Decimal128) -> Decimal128 {
        value(number, below: greatestExponent, Glibc.sinh) { $0.hyperbolicSineAndCosine.sine }
    }

    @Sendable static func cosh(_ number: Decimal128) -> Decimal128 {
        value(number, below: greatestExponent, Glibc.cosh) { $0.hyperbolicSineAndCosine.cosine }
    }

    @Sendable static func tanh(_ number: Decimal128) -> Decimal128 {
        value(number, below: greatestExponent, Glibc.tanh) { number in
            let (sine, cosine) = number.hyperbolicSineAndCosine
            return sine / cosine
        }
    }

    @Sendable static func asinh(_ number: Decimal128) -> Decimal128 { value(number, Glibc.asinh) { $0.areaSine } }

    @Sendable static func acosh(_ number: Decimal128) -> Decimal128 {
        value(number, Glibc.acosh) { (($0 - WideNumber.one) * ($0 + WideNumber.one)).squareRoot.areaSine }
    }

    @Sendable static func atanh(_ number: Decimal128) -> Decimal128 {
        guard number.magnitude.compared(to: Decimal128(1)) != 0 else {
            return number.isNegative ? Decimal128.infinity.negated : .infinity
        }
        return value(number, Glibc.atanh) { $0.areaTangent }
    }

    // MARK: Angles

    @Sendable static func radians(_ number: Decimal128) -> Decimal128 {
        value(number, { $0 * (Double.pi / 180) }) { $0 * WideNumber.pi / 180 }
    }

    @Sendable static func degrees(_ number: Decimal128) -> Decimal128 {
        value(number, { $0 * (180 / Double.pi) }) { $0 * WideNumber(180) / WideNumber.pi }
    }
}
