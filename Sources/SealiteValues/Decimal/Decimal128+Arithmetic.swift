// Arithmetic of IEEE 754-2008: exact, then rounded to 34 digits, ties to even. NaN is propagated; an undefined result
// is NaN.
extension Decimal128 {
    /// Returns the sum of the two numbers, rounded to 34 digits, ties to even; NaN if one of them is NaN, or if they
    /// are infinities with different signs.
    public func adding(_ other: Decimal128) -> Decimal128 {
        guard let left = parts, let right = other.parts else { return addingSpecial(other) }
        let exponent = min(left.exponent, right.exponent)
        if left.isZero, right.isZero {
            return Decimal128(
                clamping: DecimalParts(
                    isNegative: left.isNegative && right.isNegative, coefficient: 0, exponent: exponent))
        }
        if left.isZero { return other.extended(to: exponent) }
        if right.isZero { return extended(to: exponent) }
        return Self.sum(left, right)
    }

    private func addingSpecial(_ other: Decimal128) -> Decimal128 {
        if isNaN || other.isNaN { return .nan }
        if isInfinite, other.isInfinite, isNegative != other.isNegative { return .nan }
        // An infinity may have payload bits, which a result doesn't have.
        return .infinity(isNegative: isInfinite ? isNegative : other.isNegative)
    }

    /// Returns an equal number to whose digits zeros are appended until its exponent is `exponent`, or until it has 34
    /// digits.
    private func extended(to exponent: Int) -> Decimal128 {
        guard let parts, !parts.isZero else { return self }
        let room = DecimalParts.digitCount - PowersOfTen.digitCount(of: parts.coefficient)
        let count = min(room, parts.exponent - exponent)
        guard count > 0 else { return self }
        return Decimal128(
            fitting: DecimalParts(
                isNegative: parts.isNegative, coefficient: parts.coefficient * PowersOfTen.value(count),
                exponent: parts.exponent - count))
    }

    private static func sum(_ first: DecimalParts, _ second: DecimalParts) -> Decimal128 {
        var (large, small) = first.exponent >= second.exponent ? (first, second) : (second, first)
        // An operand that is wholly below the last kept digit only affects the direction of rounding.
        let length = PowersOfTen.digitCount(of: large.coefficient)
        let floor = large.exponent + min(-1, length - DecimalParts.digitCount - 2)
        if small.adjustedExponent < floor { (small.coefficient, small.exponent) = (1, floor) }
        let upper = UInt256(large.coefficient, timesTenTo: large.exponent - small.exponent)
        large.exponent = small.exponent
        let lower = UInt256(small.coefficient)
        guard large.isNegative != small.isNegative else {
            return Decimal128(rounding: large.isNegative, upper.adding(lower), exponent: small.exponent)
        }
        if upper < lower {
            return Decimal128(rounding: small.isNegative, lower.subtracting(upper), exponent: small.exponent)
        }
        let difference = upper.subtracting(lower)
        let isZero = difference.high == 0 && difference.low == 0
        return Decimal128(rounding: large.isNegative && !isZero, difference, exponent: small.exponent)
    }

    /// Returns this number minus another one, rounded to 34 digits, ties to even; NaN if one of them is NaN, or if they
    /// are infinities with the same sign.
    public func subtracting(_ other: Decimal128) -> Decimal128 { isNaN || other.isNaN ? .nan : adding(other.negated) }

    /// Returns the product of the two numbers, rounded to 34 digits, ties to even; NaN if one of them is NaN, or for
    /// infinity times zero.
    public func multiplied(by other: Decimal128) -> Decimal128 {
        let isNegative = isNegative != other.isNegative
        guard let left = parts, let right = other.parts else {
            return isNaN || other.isNaN || isZero || other.isZero ? .nan : .infinity(isNegative: isNegative)
        }
        return Decimal128(
            rounding: isNegative, UInt256(left.coefficient, times: right.coefficient),
            exponent: left.exponent + right.exponent)
    }

    /// Returns this number divided by another one, rounded to 34 digits, ties to even. A number divided by zero is
    /// infinity; zero divided by zero, and infinity by infinity, is NaN.
    public func divided(by other: Decimal128) -> Decimal128 {
        let isNegative = isNegative != other.isNegative
        guard let left = parts, let right = other.parts else {
            if isNaN || other.isNaN || isInfinite && other.isInfinite { return .nan }
            if isInfinite { return .infinity(isNegative: isNegative) }
            return Decimal128(
                fitting: DecimalParts(
                    isNegative: isNegative, coefficient: 0, exponent: DecimalParts.exponents.lowerBound))
        }
        guard !right.isZero else { return left.isZero ? .nan : .infinity(isNegative: isNegative) }
        let ideal = left.exponent - right.exponent
        guard !left.isZero else {
            return Decimal128(rounding: isNegative, UInt256(0), exponent: ideal)
        }
        let shift =
            PowersOfTen.digitCount(of: right.coefficient) - PowersOfTen.digitCount(of: left.coefficient)
            + DecimalParts.digitCount + 1
        var (quotient, remainder) = UInt256(left.coefficient, timesTenTo: shift).divided(by: right.coefficient)
        var exponent = ideal - shift
        while remainder == 0, exponent < ideal, quotient.isMultiple(of: 10) {
            (quotient, exponent) = (quotient / 10, exponent + 1)
        }
        // A last digit other than 0 and 5 records that the discarded remainder isn't zero.
        if remainder > 0, quotient.isMultiple(of: 5) { quotient += 1 }
        remainder = 0
        return Decimal128(rounding: isNegative, UInt256(quotient), exponent: exponent)
    }

    /// Returns the remainder of the truncating division, without rounding; it has this number's sign. NaN if one of the
    /// numbers is NaN, if this number is infinite, or if the other one is zero.
    public func remainder(dividingBy other: Decimal128) -> Decimal128 {
        guard let left = parts else { return .nan }
        guard let right = other.parts else { return other.isNaN ? .nan : self }
        guard !right.isZero else { return .nan }
        var result = DecimalParts(
            isNegative: left.isNegative, coefficient: left.coefficient, exponent: min(left.exponent, right.exponent))
        if left.exponent >= right.exponent {
            let power = Self.powerOfTen(left.exponent - right.exponent, modulo: right.coefficient)
            result.coefficient =
                UInt256(left.coefficient % right.coefficient, times: power)
                .divided(by: right.coefficient).remainder
        } else {
            let shift = right.exponent - left.exponent
            let isSmaller = shift + PowersOfTen.digitCount(of: right.coefficient) > DecimalParts.digitCount + 1
            if !isSmaller, UInt256(right.coefficient, timesTenTo: shift).high == 0 {
                result.coefficient %= UInt256(right.coefficient, timesTenTo: shift).low
            }
        }
        return Decimal128(clamping: result)
    }

    private static func powerOfTen(_ exponent: Int, modulo modulus: UInt128) -> UInt128 {
        var (result, base, rest) = (1 % modulus, 10 % modulus, exponent)
        while rest > 0 {
            if rest & 1 == 1 { result = UInt256(result, times: base).divided(by: modulus).remainder }
            base = UInt256(base, times: base).divided(by: modulus).remainder
            rest >>= 1
        }
        return result
    }

    /// Returns the number rounded to a number of decimal places, which may be negative: -2 rounds to hundreds.
    ///
    /// A number without further decimal places is returned unchanged.
    public func rounded(places: Int, rule: FloatingPointRoundingRule = .toNearestOrEven) -> Decimal128 {
        guard let parts else { return isNaN ? .nan : self }
        let places = min(max(places, -DecimalParts.exponents.upperBound), -DecimalParts.exponents.lowerBound)
        let surplus = -places - parts.exponent
        guard surplus > 0 else { return self }
        let isAll = surplus > PowersOfTen.maximum
        let divisor = isAll ? UInt128.max : PowersOfTen.value(surplus)
        let (quotient, remainder) =
            isAll ? (0, parts.coefficient) : parts.coefficient.quotientAndRemainder(dividingBy: divisor)
        let (half, isOdd) = (divisor / 2, !quotient.isMultiple(of: 2))
        let isUp =
            switch rule {
            case .toNearestOrEven: remainder > half || !isAll && remainder == half && isOdd
            case .toNearestOrAwayFromZero: remainder > half || !isAll && remainder == half
            case .up: remainder > 0 && !parts.isNegative
            case .down: remainder > 0 && parts.isNegative
            case .awayFromZero: remainder > 0
            case .towardZero: false
            @unknown default: false
            }
        return Decimal128(rounding: parts.isNegative, UInt256(isUp ? quotient + 1 : quotient), exponent: -places)
    }
}

extension Decimal128 {
    /// Returns the number rounded to a number of decimal places, with zeros in the places that it lacks; nil if it isn't
    /// finite, or if the result has more than 34 digits.
    package func quantized(places: Int, rule: FloatingPointRoundingRule = .toNearestOrEven) -> Decimal128? {
        guard let parts = rounded(places: places, rule: rule).parts else { return nil }
        let zeros = parts.exponent + places
        guard zeros > 0 else { return zeros == 0 ? Decimal128(fitting: parts) : nil }
        guard DecimalParts.exponents.contains(-places) else { return nil }
        let digits = parts.isZero ? 0 : PowersOfTen.digitCount(of: parts.coefficient) + zeros
        guard digits <= DecimalParts.digitCount else { return nil }
        let coefficient = parts.isZero ? 0 : parts.coefficient * PowersOfTen.value(zeros)
        return Decimal128(
            fitting: DecimalParts(isNegative: parts.isNegative, coefficient: coefficient, exponent: -places))
    }

    /// The zero with the lowest exponent, to which results underflow.
    package static let underflow = Decimal128(
        fitting: DecimalParts(isNegative: false, coefficient: 0, exponent: DecimalParts.exponents.lowerBound))

    /// The number with `exponent`, or the nearest one that needs no further digits, as its last digit's power of ten:
    /// an equal number without, or with, zeros at its end.
    package func scaled(toward exponent: Int) -> Decimal128 {
        guard var parts, !parts.isZero else { return self }
        while parts.exponent < exponent, parts.coefficient.isMultiple(of: 10) {
            (parts.coefficient, parts.exponent) = (parts.coefficient / 10, parts.exponent + 1)
        }
        return Decimal128(fitting: parts)
    }

    /// The exponent that the square root has if it is exact: half of the number's, rounded down; nil if the number isn't
    /// finite.
    package var exponentOfRoot: Int? { parts.map { $0.exponent >> 1 } }

    /// A computed number of 34 digits without the zeros at its end, if these are so many that it is exact.
    package var withoutZerosOfExactResult: Decimal128 {
        guard let parts, parts.exponent < 0 else { return self }
        let short = scaled(toward: 0)
        return parts.coefficient.isMultiple(of: PowersOfTen.value(17)) || (short.parts?.exponent ?? -1) == 0
            ? short : self
    }
}

extension Decimal128 {
    /// Creates a number from a sign, a coefficient and an exponent of any size, rounded to 34 digits, ties to even.
    ///
    /// - Parameters:
    ///   - isNegative: true for a negative number.
    ///   - coefficient: the digits of the number as an integer of at most 77 digits.
    ///   - exponent: the power of ten of the last digit.
    ///   - hasMore: true if digits after the last one were discarded before, and weren't all zero.
    init(rounding isNegative: Bool, _ coefficient: UInt256, exponent: Int, hasMore: Bool = false) {
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
    private static func droppingDigits(_ count: Int, of coefficient: UInt256, hasMore: Bool) -> UInt128 {
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
