internal import SealiteJSON

extension Decimal128 {
    /// Returns a negative number, 0 or a positive number if this number comes before, is equal to or comes after
    /// another one by value: 1.0 is equal to 1.00, and 0 to -0; NaN comes before all other numbers.
    public func compared(to other: Decimal128) -> Int {
        guard !isNaN, !other.isNaN else { return (isNaN ? 0 : 1) - (other.isNaN ? 0 : 1) }
        let (sign, otherSign) = (signum, other.signum)
        guard sign == otherSign else { return sign - otherSign }
        guard sign != 0 else { return 0 }
        guard let left = parts, let right = other.parts else {
            return sign * ((isInfinite ? 1 : 0) - (other.isInfinite ? 1 : 0))
        }
        return sign * Self.compareMagnitudes(left, right)
    }

    /// The sign: -1, 0 or 1 if the number is less than, equal to or greater than zero.
    private var signum: Int { isZero ? 0 : isNegative ? -1 : 1 }

    private static func compareMagnitudes(_ left: DecimalParts, _ right: DecimalParts) -> Int {
        let (power, otherPower) = (left.adjustedExponent, right.adjustedExponent)
        guard power == otherPower else { return power < otherPower ? -1 : 1 }
        // Both numbers have the same magnitude, so that the exponents differ by less than 34.
        let floor = min(left.exponent, right.exponent)
        let (first, second) = (
            left.coefficient * PowersOfTen.value(left.exponent - floor),
            right.coefficient * PowersOfTen.value(right.exponent - floor)
        )
        return first < second ? -1 : first > second ? 1 : 0
    }

    /// Returns a negative number, 0 or a positive number if this number comes before, is equal to or comes after the
    /// exact value of a double; NaN comes before all other numbers.
    func compared(to other: Double) -> Int {
        guard !isNaN, !other.isNaN else { return (isNaN ? 0 : 1) - (other.isNaN ? 0 : 1) }
        let near = doubleValue
        // Rounding to the nearest double is monotonic, so that it never reverses the order.
        guard near == other, near.isFinite else {
            return near < other ? -1 : near > other ? 1 : isInfinite == other.isInfinite ? 0 : isNegative ? 1 : -1
        }
        guard let left = JSONNumber(json: Array(description.utf8)), let right = JSONNumber(other) else { return 0 }
        return left.compared(to: right)
    }

    /// The double with exactly this value, NaN and infinities included; nil if there is none.
    var exactDouble: Double? {
        let near = doubleValue
        return compared(to: near) == 0 ? near : nil
    }

    /// Returns whether two numbers have the same value; NaN is the same as NaN.
    public func isSame(as other: Decimal128) -> Bool { compared(to: other) == 0 }
}
