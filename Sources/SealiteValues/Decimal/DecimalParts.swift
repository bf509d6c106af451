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
