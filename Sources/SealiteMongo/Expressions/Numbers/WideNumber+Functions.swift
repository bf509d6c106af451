internal import Glibc
internal import SealiteValues

extension WideNumber {
    static let one = WideNumber(1)
    static let pi = WideNumber(
        text: "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534")
    static let ln10 = WideNumber(
        text: "2.30258509299404568401799145468436420760110148862877297603332790096757260967735248023599720508")

    /// Returns the sum of a series, which ends at a term of zero or after 500 terms. `next` computes each term from the
    /// previous one and its own index, from 1.
    private static func sum(_ first: WideNumber, _ next: (WideNumber, Int) -> WideNumber) -> WideNumber {
        var (sum, term, index) = (first, first, 1)
        while !term.isZero, index < 500 {
            term = next(term, index)
            sum = sum + term
            index += 1
        }
        return sum
    }

    /// Returns the sum of a series of powers over odd numbers: x ± x³/3 + x⁵/5 ± …; each power is the previous one
    /// times a factor.
    private static func oddSum(_ x: WideNumber, _ factor: WideNumber) -> WideNumber {
        var (sum, power) = (x, x)
        for index in 1..<250 {
            power = power * factor
            let next = sum + power / (2 * index + 1)
            if power.isZero || (next - sum).isZero { break }
            sum = next
        }
        return sum
    }

    private static func isSmall(_ number: WideNumber, _ limit: Double) -> Bool {
        isLess(number.magnitude, WideNumber(limit))
    }

    // MARK: Roots, powers and logarithms

    /// The square root of this number, which mustn't be negative.
    var squareRoot: WideNumber {
        guard !isZero else { return self }
        var (mantissa, exponent) = split
        if exponent & 1 != 0 { (mantissa, exponent) = (mantissa.scaled(1), exponent - 1) }
        var reciprocal = WideNumber(1 / mantissa.double.squareRoot())
        for _ in 0..<3 { reciprocal = reciprocal * (WideNumber(3) - mantissa * reciprocal * reciprocal) / 2 }
        return (mantissa * reciprocal).scaled(exponent / 2)
    }

    /// e to the power of this number, whose magnitude must be below 20,000.
    var exponential: WideNumber {
        let power = Int((double / 2.302585092994046).rounded())
        // The remainder is at most 1.16 and is divided by 256; the result is squared eight times.
        let rest = (self - WideNumber.ln10 * WideNumber(power)) / 256
        var result = Self.sum(.one) { $0 * rest / $1 }
        for _ in 0..<8 { result = result * result }
        let limbs = power >= 0 ? power / 9 : -((8 - power) / 9)
        return (result * WideNumber(text: "1E\(power - 9 * limbs)")).scaled(limbs)
    }

    /// The natural logarithm of this number, which must be positive.
    var logarithm: WideNumber {
        if Self.isSmall(self - .one, 0.01) { return ((self - .one) / (self + .one)).areaTangentSeries * WideNumber(2) }
        var (mantissa, exponent) = split
        var power = 9 * exponent
        while !Self.isLess(mantissa, WideNumber(3)) { (mantissa, power) = (mantissa / 10, power + 1) }
        if Self.isSmall(mantissa - .one, 0.01) {
            return mantissa.logarithm + Self.ln10 * WideNumber(power)
        }
        exponent = power
        // Each step of Halley's method triples the number of correct digits.
        var result = WideNumber(Glibc.log(mantissa.double))
        for _ in 0..<2 {
            let value = result.exponential
            result = result + (mantissa - value) / (mantissa + value) * WideNumber(2)
        }
        return result + Self.ln10 * WideNumber(exponent)
    }

    /// Returns this number to the power of an integer.
    func power(_ count: Int) -> WideNumber {
        var (result, square, rest) = (WideNumber.one, self, count.magnitude)
        while rest > 0 {
            if rest & 1 == 1 { result = result * square }
            rest >>= 1
            if rest > 0 { square = square * square }
        }
        return count < 0 ? .one / result : result
    }

    // MARK: Circles

    /// The sine and the cosine of this number in radians, whose magnitude must be below 10³⁰.
    var sineAndCosine: (sine: WideNumber, cosine: WideNumber) {
        let quarter = Self.pi / 2
        let turns = (self / quarter).rounded
        let rest = self - quarter * turns
        let square = -(rest * rest)
        let sine = Self.sum(rest) { $0 * square / (2 * $1 * (2 * $1 + 1)) }
        let cosine = Self.sum(.one) { $0 * square / ((2 * $1 - 1) * (2 * $1)) }
        switch (turns - WideNumber(4) * (turns / 4).floor).double {
        case 0: return (sine, cosine)
        case 1: return (cosine, -sine)
        case 2: return (-sine, -cosine)
        default: return (-cosine, sine)
        }
    }

    /// The arc tangent of this number, in radians.
    var arcTangent: WideNumber {
        if Self.isLess(.one, magnitude) {
            let angle = Self.pi / 2 - (Self.one / magnitude).arcTangent
            return isNegative ? -angle : angle
        }
        // Halving the angle three times makes the tangent small.
        var tangent = self
        for _ in 0..<3 { tangent = tangent / (Self.one + (Self.one + tangent * tangent).squareRoot) }
        return Self.oddSum(tangent, -(tangent * tangent)) * WideNumber(8)
    }

    // MARK: Hyperbolas

    /// The hyperbolic sine and cosine of this number, whose magnitude must be below 20,000.
    var hyperbolicSineAndCosine: (sine: WideNumber, cosine: WideNumber) {
        let (up, down) = (exponential, (-self).exponential)
        let cosine = (up + down) / 2
        guard Self.isSmall(self, 0.1) else { return ((up - down) / 2, cosine) }
        let square = self * self
        return (Self.sum(self) { $0 * square / (2 * $1 * (2 * $1 + 1)) }, cosine)
    }

    /// The inverse hyperbolic tangent of this number, which must be between -1 and 1.
    var areaTangent: WideNumber {
        Self.isSmall(self, 0.1) ? areaTangentSeries : ((Self.one + self) / (Self.one - self)).logarithm / 2
    }

    private var areaTangentSeries: WideNumber { Self.oddSum(self, self * self) }

    /// The inverse hyperbolic sine of this number.
    var areaSine: WideNumber { (self / (Self.one + self * self).squareRoot).areaTangentOfSine(self) }

    private func areaTangentOfSine(_ sine: WideNumber) -> WideNumber {
        guard !Self.isSmall(sine, 0.1) else { return areaTangentSeries }
        let area = (sine.magnitude + (Self.one + sine * sine).squareRoot).logarithm
        return sine.isNegative ? -area : area
    }

    // MARK: Whole numbers

    /// The greatest integer that isn't greater than this number, whose integer part must have at most 34 digits.
    private var floor: WideNumber { WideNumber(decimal.rounded(places: 0, rule: .down)) }

    /// The integer nearest to this number, whose integer part must have at most 34 digits.
    private var rounded: WideNumber { WideNumber(decimal.rounded(places: 0)) }
}
