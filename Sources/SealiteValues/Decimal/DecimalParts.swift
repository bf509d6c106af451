/// A finite decimal number taken apart: ± coefficient × 10^exponent.
struct DecimalParts: Sendable {
    /// The limits of decimal128 (IEEE 754-2008 §3.5).
    static let digitCount = 34
    static let exponents = -6176...6111
    /// The number that an encoding adds to the exponent.
    static let bias = 6176
    /// 10³⁴ - 1.
    static let maximumCoefficient: UInt128 = PowersOfTen.value(34) - 1

    /// True if the sign is minus.
    var isNegative: Bool
    /// The digits as one number.
    var coefficient: UInt128
    /// The power of ten of the last digit.
    var exponent: Int

    var isZero: Bool { coefficient == 0 }

    /// The power of ten of the first digit.
    var adjustedExponent: Int { exponent + PowersOfTen.digitCount(of: coefficient) - 1 }
}

/// Powers of ten that 128 bits hold.
enum PowersOfTen {
    /// The greatest exponent.
    static let maximum = 38

    private static let table: [UInt128] = {
        var table: [UInt128] = [1]
        for _ in 0..<maximum { table.append(table[table.count - 1] * 10) }
        return table
    }()

    /// Ten to an exponent from 0 to 38.
    static func value(_ exponent: Int) -> UInt128 { table[exponent] }

    /// The number of decimal digits; 1 for zero.
    static func digitCount(of value: UInt128) -> Int {
        // 1233/4096 is a little less than log₁₀ 2: the estimate is the number of digits, or one too low.
        let estimate = ((UInt128.bitWidth - value.leadingZeroBitCount) * 1233) >> 12
        return max(value >= table[estimate] ? estimate + 1 : estimate, 1)
    }
}

extension Decimal128 {
    private static let signBit: UInt64 = 1 << 63
    private static let infinityBits: UInt64 = 0x7800_0000_0000_0000
    private static let nanBits: UInt64 = 0x7C00_0000_0000_0000

    /// The number that isn't one.
    public static let nan = Decimal128(high: nanBits, low: 0)
    /// The value greater than every number.
    public static let infinity = Decimal128(high: infinityBits, low: 0)
    /// Zero.
    public static let zero = Decimal128(0)

    /// True for what is no number.
    public var isNaN: Bool { high & Self.nanBits == Self.nanBits }
    /// True for infinity of either sign.
    public var isInfinite: Bool { high & Self.nanBits == Self.infinityBits }
    /// True for all but infinities and NaN.
    public var isFinite: Bool { high & Self.infinityBits != Self.infinityBits }
    /// True if the sign is minus; zero and NaN have one, too.
    public var isNegative: Bool { high & Self.signBit != 0 }
    /// True for zero of either sign and any exponent.
    public var isZero: Bool { parts?.isZero ?? false }

    /// The number with the other sign.
    public var negated: Decimal128 { Decimal128(high: high ^ Self.signBit, low: low) }
    /// The number without its sign.
    public var magnitude: Decimal128 { Decimal128(high: high & ~Self.signBit, low: low) }

    /// The number's parts; nil if it isn't finite. An encoding whose coefficient has more than 34 digits is zero, as the standard says.
    var parts: DecimalParts? {
        guard isFinite else { return nil }
        let isLarge = high >> 61 & 3 == 3
        let exponent = Int(high >> (isLarge ? 47 : 49) & 0x3FFF) - DecimalParts.bias
        let coefficient = isLarge ? 0 : UInt128(high & 0x1_FFFF_FFFF_FFFF) << 64 | UInt128(low)
        return DecimalParts(
            isNegative: isNegative, coefficient: coefficient > DecimalParts.maximumCoefficient ? 0 : coefficient,
            exponent: exponent)
    }

    /// Parts that fit: a coefficient of at most 34 digits, an exponent from -6176 to 6111.
    init(fitting parts: DecimalParts) {
        let sign = parts.isNegative ? Self.signBit : 0
        let exponent = UInt64(truncatingIfNeeded: parts.exponent + DecimalParts.bias)
        self.init(
            high: sign | exponent << 49 | UInt64(truncatingIfNeeded: parts.coefficient >> 64),
            low: UInt64(truncatingIfNeeded: parts.coefficient))
    }

    /// Infinity of a sign.
    static func infinity(isNegative: Bool) -> Decimal128 { isNegative ? infinity.negated : infinity }
}
