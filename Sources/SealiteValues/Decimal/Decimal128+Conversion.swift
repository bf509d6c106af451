extension Decimal128 {
    /// Creates a decimal from an integer, rounded to 34 digits, ties to even.
    ///
    /// - Precondition: The integer's magnitude has at most 128 bits. For integers that may be larger, use
    ///   ``init(exactly:)``.
    public init(_ value: some BinaryInteger) {
        guard let magnitude = UInt128(exactly: value.magnitude) else {
            preconditionFailure("an integer that becomes a Decimal128 has at most 128 bits; use Decimal128(exactly:)")
        }
        self.init(rounding: value < 0, UInt256(magnitude), exponent: 0)
    }

    /// Creates a decimal equal to an integer; nil if the integer has more than 34 digits without zeros at its end, or
    /// its magnitude more than 128 bits.
    public init?(exactly value: some BinaryInteger) {
        guard var digits = UInt128(exactly: value.magnitude) else { return nil }
        while digits >= PowersOfTen.value(34) {
            guard digits.isMultiple(of: 10) else { return nil }
            digits /= 10
        }
        self.init(value)
    }

    /// Creates a decimal from a double, rounded to 15 significant digits as in MongoDB; 0.1 becomes 0.100000000000000.
    public init(_ value: Double) {
        guard value.isFinite else {
            self = value.isNaN ? .nan : .infinity(isNegative: value < 0)
            return
        }
        guard value != 0 else {
            self = value.sign == .minus ? Decimal128.zero.negated : .zero
            return
        }
        self = Self.quantized(Decimal128(exactDigitsOf: value), digitCount: 15)
    }

    /// Creates the shortest decimal that is converted back to the same double; 0.1 becomes 0.1.
    public init(shortest value: Double) {
        guard value.isFinite else {
            self = value.isNaN ? .nan : .infinity(isNegative: value < 0)
            return
        }
        self = Decimal128(value.description) ?? .nan
    }

    /// Creates a decimal from a double's exact value, rounded to 34 digits, in several steps if the exponent is large.
    package init(exactDigitsOf value: Double) {
        // 17 digits identify a double; digits after them decide between two adjacent numbers of 15 digits only if all
        // of them are present.
        let significand = value.significandBitPattern | (value.isNormal ? 1 << 52 : 0)
        let power = max(Int(value.exponentBitPattern), 1) - 1075
        let isNegative = value.sign == .minus
        var result = Decimal128(significand)
        if power != 0 { result = result.multiplied(by: Self.powerOfTwo(power)) }
        self = isNegative ? result.negated : result
    }

    /// Returns a power of two, computed in few steps that are each rounded to 34 digits.
    private static func powerOfTwo(_ exponent: Int) -> Decimal128 {
        var (result, base, rest) = (Decimal128(1), Decimal128(2), exponent.magnitude)
        while rest > 0 {
            if rest & 1 == 1 { result = result.multiplied(by: base) }
            base = base.multiplied(by: base)
            rest >>= 1
        }
        return exponent < 0 ? Decimal128(1).divided(by: result) : result
    }

    /// Returns the number with `digitCount` significant digits: rounded, ties to even, or padded with zeros.
    private static func quantized(_ value: Decimal128, digitCount: Int) -> Decimal128 {
        guard let parts = value.parts, !parts.isZero else { return value }
        let places = digitCount - 1 - parts.adjustedExponent
        guard -parts.exponent >= places else {
            let zeros = parts.exponent + places
            return Decimal128(
                fitting: DecimalParts(
                    isNegative: parts.isNegative, coefficient: parts.coefficient * PowersOfTen.value(zeros),
                    exponent: -places))
        }
        let rounded = value.rounded(places: places, rule: .toNearestOrEven)
        // 9.99… was rounded to 10.0…, which has one digit more.
        guard let result = rounded.parts, PowersOfTen.digitCount(of: result.coefficient) > digitCount else {
            return rounded
        }
        return rounded.rounded(places: places - 1, rule: .toNearestOrEven)
    }

    /// The double that is nearest to the number: infinity if the number is too large, NaN for NaN.
    public var doubleValue: Double {
        guard let parts else { return isNaN ? .nan : isNegative ? -.infinity : .infinity }
        let value = Double("\(parts.coefficient)e\(parts.exponent)") ?? .nan
        return parts.isNegative ? -value : value
    }

    /// The number as an integer; nil if it has a fraction, isn't finite, or 64 bits can't represent it.
    public var exactInt64: Int64? {
        guard let parts else { return nil }
        return integer(parts, exactly: true)
    }

    /// The number without its fraction; nil if it isn't finite or 64 bits can't represent it.
    public var truncatedInt64: Int64? {
        guard let parts else { return nil }
        return integer(parts, exactly: false)
    }

    private func integer(_ parts: DecimalParts, exactly: Bool) -> Int64? {
        guard !parts.isZero else { return 0 }
        var magnitude = parts.coefficient
        if parts.exponent > 0 {
            guard parts.adjustedExponent < 19 else { return nil }
            magnitude *= PowersOfTen.value(parts.exponent)
        } else if parts.exponent < 0 {
            guard parts.adjustedExponent >= 0 else { return exactly ? nil : 0 }
            let (whole, fraction) = magnitude.quotientAndRemainder(dividingBy: PowersOfTen.value(-parts.exponent))
            guard !exactly || fraction == 0 else { return nil }
            magnitude = whole
        }
        guard magnitude <= 1 << 63 else { return nil }
        return Int64(exactly: parts.isNegative ? -Int128(magnitude) : Int128(magnitude))
    }
}

extension Int64 {
    /// Creates an integer equal to a decimal; nil if the decimal has a fraction or 64 bits can't represent it.
    public init?(exactly value: Decimal128) {
        guard let integer = value.exactInt64 else { return nil }
        self = integer
    }

    /// Creates an integer from a decimal without its fraction; nil if 64 bits can't represent it.
    public init?(truncating value: Decimal128) {
        guard let integer = value.truncatedInt64 else { return nil }
        self = integer
    }
}

extension Decimal128: ExpressibleByIntegerLiteral {
    /// Creates a decimal from an integer.
    public init(integerLiteral value: Int64) { self.init(value) }
}
