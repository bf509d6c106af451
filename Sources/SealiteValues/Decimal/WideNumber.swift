/// An unsigned integer of 256 bits, with the operations that exact products and quotients of decimals require.
struct WideNumber {
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

    static func < (left: WideNumber, right: WideNumber) -> Bool {
        left.high == right.high ? left.low < right.low : left.high < right.high
    }

    /// Returns the sum, which must fit in 256 bits.
    func adding(_ other: WideNumber) -> WideNumber {
        let sum = low.addingReportingOverflow(other.low)
        return WideNumber(high: high &+ other.high &+ (sum.overflow ? 1 : 0), low: sum.partialValue)
    }

    /// Returns the difference; the subtrahend mustn't be greater.
    func subtracting(_ other: WideNumber) -> WideNumber {
        let difference = low.subtractingReportingOverflow(other.low)
        return WideNumber(high: high &- other.high &- (difference.overflow ? 1 : 0), low: difference.partialValue)
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
        while !(self < WideNumber(PowersOfTen.value(DecimalParts.digitCount), timesTenTo: count)) { count += 1 }
        return count
    }
}

extension WideNumber {
    /// Returns the quotient, which may exceed 128 bits, and the remainder of the division by `divisor`.
    func dividedTwice(by divisor: UInt128) -> (quotient: WideNumber, remainder: UInt128) {
        let upper = high.quotientAndRemainder(dividingBy: divisor)
        let lower = divisor.dividingFullWidth((upper.remainder, low))
        return (WideNumber(high: upper.quotient, low: lower.quotient), lower.remainder)
    }
}
