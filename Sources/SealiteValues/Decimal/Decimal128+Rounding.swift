/// A natural number of 256 bits, as far as exact products and quotients of decimals need one.
struct WideNumber {
    /// The upper 128 bits.
    var high: UInt128
    /// The lower 128 bits.
    var low: UInt128

    init(_ value: UInt128) { (high, low) = (0, value) }
    init(high: UInt128, low: UInt128) { (self.high, self.low) = (high, low) }

    /// The product of two numbers.
    init(_ left: UInt128, times right: UInt128) {
        let product = left.multipliedFullWidth(by: right)
        (high, low) = (product.high, product.low)
    }

    /// The product of a number and ten to a power; it has at most 77 digits.
    init(_ value: UInt128, timesTenTo exponent: Int) {
        let first = min(exponent, PowersOfTen.maximum)
        self.init(value, times: PowersOfTen.value(first))
        guard exponent > first else { return }
        let factor = PowersOfTen.value(exponent - first)
        let product = low.multipliedFullWidth(by: factor)
        (high, low) = (high &* factor &+ product.high, product.low)
    }

    static func < (left: WideNumber, right: WideNumber) -> Bool {
        left.high == right.high ? left.low < right.low : left.high < right.high
    }

    /// The sum, which 256 bits hold.
    func adding(_ other: WideNumber) -> WideNumber {
        let sum = low.addingReportingOverflow(other.low)
        return WideNumber(high: high &+ other.high &+ (sum.overflow ? 1 : 0), low: sum.partialValue)
    }

    /// The difference; the other number isn't the greater one.
    func subtracting(_ other: WideNumber) -> WideNumber {
        let difference = low.subtractingReportingOverflow(other.low)
        return WideNumber(high: high &- other.high &- (difference.overflow ? 1 : 0), low: difference.partialValue)
    }

    /// The quotient and the remainder; the quotient fits in 128 bits.
    func divided(by divisor: UInt128) -> (quotient: UInt128, remainder: UInt128) {
        guard high > 0 else { return low.quotientAndRemainder(dividingBy: divisor) }
        return divisor.dividingFullWidth((high, low))
    }

    /// The number of digits above the 34 that a decimal has; 0 where there are none.
    var surplusDigitCount: Int {
        guard DecimalParts.maximumCoefficient < low || high > 0 else { return 0 }
        var count = 1
        while !(self < WideNumber(PowersOfTen.value(DecimalParts.digitCount), timesTenTo: count)) { count += 1 }
        return count
    }
}

extension Decimal128 {
    /// The number of parts of any size, rounded to 34 digits, half to even.
    ///
    /// - Parameters:
    ///   - isNegative: the sign.
    ///   - coefficient: at most 77 digits.
    ///   - exponent: the power of ten of the last digit.
    ///   - hasMore: true if digits other than zero were behind the last one.
    init(rounding isNegative: Bool, _ coefficient: WideNumber, exponent: Int, hasMore: Bool = false) {
        let tiny = DecimalParts.exponents.lowerBound - exponent
        let surplus = max(coefficient.surplusDigitCount, tiny)
        var parts = DecimalParts(isNegative: isNegative, coefficient: coefficient.low, exponent: exponent)
        if surplus > 0 {
            parts.coefficient = Self.droppingDigits(surplus, of: coefficient, hasMore: hasMore)
            parts.exponent += surplus
            if parts.coefficient > DecimalParts.maximumCoefficient {
                (parts.coefficient, parts.exponent) = (parts.coefficient / 10, parts.exponent + 1)
            }
        }
        self.init(clamping: parts)
    }

    /// A coefficient without its last digits, rounded half to even.
    private static func droppingDigits(_ count: Int, of coefficient: WideNumber, hasMore: Bool) -> UInt128 {
        // More than 77 digits: nothing of it is left.
        guard count <= 2 * PowersOfTen.maximum else { return 0 }
        var (quotient, rest, isInexact) = (coefficient, count, hasMore)
        while rest > PowersOfTen.maximum {
            let step = quotient.dividedTwice(by: PowersOfTen.value(rest - PowersOfTen.maximum))
            isInexact = isInexact || step.remainder > 0
            (quotient, rest) = (step.quotient, PowersOfTen.maximum)
        }
        let divisor = PowersOfTen.value(rest)
        let (result, remainder) = quotient.divided(by: divisor)
        let half = divisor / 2
        let isUp = remainder > half || remainder == half && (isInexact || !result.isMultiple(of: 2))
        return isUp ? result + 1 : result
    }

    /// The number of parts with at most 34 digits and an exponent that isn't too low; one that is too high becomes a longer coefficient, or infinity.
    init(clamping parts: DecimalParts) {
        var parts = parts
        let surplus = parts.exponent - DecimalParts.exponents.upperBound
        if surplus > 0 {
            if parts.isZero {
                parts.exponent = DecimalParts.exponents.upperBound
            } else if surplus + PowersOfTen.digitCount(of: parts.coefficient) > DecimalParts.digitCount {
                self = .infinity(isNegative: parts.isNegative)
                return
            } else {
                parts.coefficient *= PowersOfTen.value(surplus)
                parts.exponent = DecimalParts.exponents.upperBound
            }
        }
        self.init(fitting: parts)
    }
}

extension WideNumber {
    /// The quotient of any size, and the remainder.
    func dividedTwice(by divisor: UInt128) -> (quotient: WideNumber, remainder: UInt128) {
        let upper = high.quotientAndRemainder(dividingBy: divisor)
        let lower = divisor.dividingFullWidth((upper.remainder, low))
        return (WideNumber(high: upper.quotient, low: lower.quotient), lower.remainder)
    }
}
