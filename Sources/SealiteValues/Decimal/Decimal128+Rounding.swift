extension Decimal128 {
    /// Creates a number from a sign, a coefficient and an exponent of any size, rounded to 34 digits, ties to even.
    ///
    /// - Parameters:
    ///   - isNegative: true for a negative number.
    ///   - coefficient: the digits of the number as an integer of at most 77 digits.
    ///   - exponent: the power of ten of the last digit.
    ///   - hasMore: true if digits after the last one were discarded before, and weren't all zero.
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

    /// Returns a coefficient without its last `count` digits, rounded to nearest, ties to even. `hasMore` is true if
    /// digits after them were discarded before that weren't all zero.
    private static func droppingDigits(_ count: Int, of coefficient: WideNumber, hasMore: Bool) -> UInt128 {
        // All of at most 77 digits are dropped.
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

    /// Creates a number from parts with at most 34 digits and an exponent that isn't too low; an exponent that is too
    /// high is reduced by appending zeros to the coefficient, or yields infinity.
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
