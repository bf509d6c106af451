/// The parts of a finite decimal number: ± coefficient × 10^exponent.
struct DecimalParts: Sendable {
    /// The maximum number of digits of a decimal128 number (IEEE 754-2008 §3.5).
    static let digitCount = 34
    static let exponents = -6176...6111
    /// The number that is added to an exponent in its encoding, so that the encoded exponent isn't negative.
    static let bias = 6176
    /// The greatest coefficient, which has 34 digits: 10³⁴ - 1.
    static let maximumCoefficient: UInt128 = PowersOfTen.value(34) - 1

    /// A Boolean value that says whether the sign is negative.
    var isNegative: Bool
    /// The digits of the decimal number as one integer.
    var coefficient: UInt128
    /// The exponent of the power of ten by which the coefficient, and so its last digit, is multiplied.
    var exponent: Int

    var isZero: Bool { coefficient == 0 }

    /// The exponent of the power of ten by which the first digit of the coefficient is multiplied.
    var adjustedExponent: Int { exponent + PowersOfTen.digitCount(of: coefficient) - 1 }
}

extension Decimal128 {
    private static let signBit: UInt64 = 1 << 63
    private static let infinityBits: UInt64 = 0x7800_0000_0000_0000
    private static let nanBits: UInt64 = 0x7C00_0000_0000_0000

    /// Not a number.
    public static let nan = Decimal128(high: nanBits, low: 0)
    /// Positive infinity.
    public static let infinity = Decimal128(high: infinityBits, low: 0)
    /// Zero.
    public static let zero = Decimal128(0)

    /// A Boolean value that says whether the value is NaN.
    public var isNaN: Bool { high & Self.nanBits == Self.nanBits }
    /// A Boolean value that says whether the value is infinite, with either sign.
    public var isInfinite: Bool { high & Self.nanBits == Self.infinityBits }
    /// A Boolean value that says whether the value is neither infinite nor NaN.
    public var isFinite: Bool { high & Self.infinityBits != Self.infinityBits }
    /// A Boolean value that says whether the sign is negative; zero and NaN also have a sign.
    public var isNegative: Bool { high & Self.signBit != 0 }
    /// A Boolean value that says whether the value is zero, with either sign and any exponent.
    public var isZero: Bool { parts?.isZero ?? false }

    /// The number with the opposite sign.
    public var negated: Decimal128 { Decimal128(high: high ^ Self.signBit, low: low) }
    /// The number without its sign.
    public var magnitude: Decimal128 { Decimal128(high: high & ~Self.signBit, low: low) }

    /// The number's parts; nil if it isn't finite. An encoding whose coefficient has more than 34 digits is zero by the
    /// standard.
    var parts: DecimalParts? {
        guard isFinite else { return nil }
        let isLarge = high >> 61 & 3 == 3
        let exponent = Int(high >> (isLarge ? 47 : 49) & 0x3FFF) - DecimalParts.bias
        let coefficient = isLarge ? 0 : UInt128(high & 0x1_FFFF_FFFF_FFFF) << 64 | UInt128(low)
        return DecimalParts(
            isNegative: isNegative, coefficient: coefficient > DecimalParts.maximumCoefficient ? 0 : coefficient,
            exponent: exponent)
    }

    /// Creates a number from valid parts: a coefficient of at most 34 digits, an exponent from -6176 to 6111.
    init(fitting parts: DecimalParts) {
        let sign = parts.isNegative ? Self.signBit : 0
        let exponent = UInt64(truncatingIfNeeded: parts.exponent + DecimalParts.bias)
        self.init(
            high: sign | exponent << 49 | UInt64(truncatingIfNeeded: parts.coefficient >> 64),
            low: UInt64(truncatingIfNeeded: parts.coefficient))
    }

    /// Returns infinity with a sign.
    static func infinity(isNegative: Bool) -> Decimal128 { isNegative ? infinity.negated : infinity }
}

/// An unsigned integer of 256 bits, with the operations that exact products and quotients of decimals require.
struct UInt256 {
    /// The upper 128 bits.
    var high: UInt128
    /// The lower 128 bits.
    var low: UInt128

    init(_ value: UInt128) { (high, low) = (0, value) }
    init(high: UInt128, low: UInt128) { (self.high, self.low) = (high, low) }

    /// Creates the product of two numbers.
    init(_ left: UInt128, times right: UInt128) {
        let product = left.multipliedFullWidth(by: right)
        (high, low) = (product.high, product.low)
    }

    /// Creates the product of a number and a power of ten; the product must have at most 77 digits.
    init(_ value: UInt128, timesTenTo exponent: Int) {
        let first = min(exponent, PowersOfTen.maximum)
        self.init(value, times: PowersOfTen.value(first))
        guard exponent > first else { return }
        let factor = PowersOfTen.value(exponent - first)
        let product = low.multipliedFullWidth(by: factor)
        (high, low) = (high &* factor &+ product.high, product.low)
    }

    static func < (left: UInt256, right: UInt256) -> Bool {
        left.high == right.high ? left.low < right.low : left.high < right.high
    }

    /// Returns the sum, which must fit in 256 bits.
    func adding(_ other: UInt256) -> UInt256 {
        let sum = low.addingReportingOverflow(other.low)
        return UInt256(high: high &+ other.high &+ (sum.overflow ? 1 : 0), low: sum.partialValue)
    }

    /// Returns the difference; the subtrahend mustn't be greater.
    func subtracting(_ other: UInt256) -> UInt256 {
        let difference = low.subtractingReportingOverflow(other.low)
        return UInt256(high: high &- other.high &- (difference.overflow ? 1 : 0), low: difference.partialValue)
    }

    /// Returns the quotient and the remainder of the division by `divisor`; the quotient must fit in 128 bits.
    func divided(by divisor: UInt128) -> (quotient: UInt128, remainder: UInt128) {
        guard high > 0 else { return low.quotientAndRemainder(dividingBy: divisor) }
        return divisor.dividingFullWidth((high, low))
    }

    /// The number of decimal digits beyond the 34 that a decimal128 number can have; at least 0.
    var surplusDigitCount: Int {
        guard DecimalParts.maximumCoefficient < low || high > 0 else { return 0 }
        var count = 1
        while !(self < UInt256(PowersOfTen.value(DecimalParts.digitCount), timesTenTo: count)) { count += 1 }
        return count
    }
}

extension UInt256 {
    /// Returns the quotient, which may exceed 128 bits, and the remainder of the division by `divisor`.
    func dividedTwice(by divisor: UInt128) -> (quotient: UInt256, remainder: UInt128) {
        let upper = high.quotientAndRemainder(dividingBy: divisor)
        let lower = divisor.dividingFullWidth((upper.remainder, low))
        return (UInt256(high: upper.quotient, low: lower.quotient), lower.remainder)
    }
}

/// The powers of ten that 128 bits can represent.
enum PowersOfTen {
    /// The greatest exponent of a power of ten that 128 bits can represent.
    static let maximum = 38

    private static let table: [UInt128] = {
        var table: [UInt128] = [1]
        for _ in 0..<maximum { table.append(table[table.count - 1] * 10) }
        return table
    }()

    /// Returns the power of ten with an exponent from 0 to 38.
    static func value(_ exponent: Int) -> UInt128 { table[exponent] }

    /// Returns the number of decimal digits of a number; 1 for zero.
    static func digitCount(of value: UInt128) -> Int {
        // 1233/4096 is slightly less than log₁₀ 2: the estimate is exact, or one too low.
        let estimate = ((UInt128.bitWidth - value.leadingZeroBitCount) * 1233) >> 12
        return max(value >= table[estimate] ? estimate + 1 : estimate, 1)
    }
}
