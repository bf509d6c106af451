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
