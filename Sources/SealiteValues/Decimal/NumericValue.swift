internal import SealiteJSON

/// A number of any of BSON's numeric types, compared by its exact value.
package enum NumericValue {
    /// A 32-bit or 64-bit integer.
    case integer(Int64)
    /// A 64-bit binary floating-point number.
    case double(Double)
    /// A decimal128 number.
    case decimal(Decimal128)

    /// Creates the number of a value; nil if the value isn't a number.
    package init?(_ value: BSON) {
        switch value {
        case .int32(let number): self = .integer(Int64(number))
        case .int64(let number): self = .integer(number)
        case .double(let number): self = .double(number)
        case .decimal128(let number): self = .decimal(number)
        default: return nil
        }
    }

    /// Returns a negative number, 0 or a positive number if this number comes before, is equal to or comes after
    /// another one; NaN comes first, and 0 is equal to -0.
    func compared(to other: NumericValue) -> Int {
        switch (self, other) {
        case (.integer(let left), .integer(let right)): left < right ? -1 : left > right ? 1 : 0
        case (.double(let left), .double(let right)): Self.compare(left, right)
        case (.decimal(let left), .decimal(let right)): left.compared(to: right)
        case (.integer(let left), .double(let right)): Self.compare(left, right)
        case (.double(let left), .integer(let right)): -Self.compare(right, left)
        case (.integer(let left), .decimal(let right)): Decimal128(left).compared(to: right)
        case (.decimal(let left), .integer(let right)): left.compared(to: Decimal128(right))
        case (.double(let left), .decimal(let right)): -right.compared(to: left)
        case (.decimal(let left), .double(let right)): left.compared(to: right)
        }
    }

    private static func compare(_ left: Double, _ right: Double) -> Int {
        if left < right { return -1 }
        if left > right { return 1 }
        return left == right ? 0 : (left.isNaN ? 0 : 1) - (right.isNaN ? 0 : 1)
    }

    private static func compare(_ left: Int64, _ right: Double) -> Int {
        guard right < 0x1p63 else { return right.isNaN ? 1 : -1 }
        guard right >= -0x1p63 else { return 1 }
        let whole = right.rounded(.towardZero)
        let integer = Int64(whole)
        guard left == integer else { return left < integer ? -1 : 1 }
        return compare(whole, right)
    }

    /// The canonical form of all numbers of equal value: an integer of 64 bits if possible, otherwise a double,
    /// otherwise a decimal.
    package var canonical: NumericValue {
        switch self {
        case .integer: return self
        case .double(let value): return Int64(exactly: value).map { .integer($0) } ?? self
        case .decimal(let value):
            if let integer = value.exactInt64 { return .integer(integer) }
            if let double = value.exactDouble { return .double(double) }
            return .decimal(value.withoutTrailingZeros)
        }
    }
}

extension Decimal128 {
    /// The number of equal value whose coefficient has the fewest digits, without trailing zeros.
    var withoutTrailingZeros: Decimal128 {
        guard var parts, !parts.isZero else { return self }
        while parts.coefficient.isMultiple(of: 10), parts.exponent < DecimalParts.exponents.upperBound {
            (parts.coefficient, parts.exponent) = (parts.coefficient / 10, parts.exponent + 1)
        }
        return Decimal128(fitting: parts)
    }
}

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
    package var exactDouble: Double? {
        let near = doubleValue
        return compared(to: near) == 0 ? near : nil
    }

    /// Returns whether two numbers have the same value; NaN is the same as NaN.
    public func isSame(as other: Decimal128) -> Bool { compared(to: other) == 0 }
}
