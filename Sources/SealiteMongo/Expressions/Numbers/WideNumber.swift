internal import Glibc
internal import SealiteValues

/// A number with about twice the digits of a `Decimal128`, for computing functions of decimals that are rounded once at
/// the end.
///
/// A limb holds nine digits, and the most significant limb comes first: the value is the sum of the limbs, each times
/// 10⁹ to the power of `exponent` minus the limb's index.
struct WideNumber: Sendable {
    /// The number of limbs; at least 64 digits are significant.
    private static let count = 8
    private static let base: UInt64 = 1_000_000_000

    private(set) var isNegative = false
    private var exponent = 0
    /// `count` limbs, of which the first isn't zero; empty for zero.
    private var limbs: [UInt64] = []

    static let zero = WideNumber()

    var isZero: Bool { limbs.isEmpty }

    init() {}

    /// Creates a number from a small integer.
    init(_ value: Int) { self.init(digits: Array("\(value.magnitude)".utf8), power: 0, isNegative: value < 0) }

    /// Creates a number from a finite double, by its shortest text.
    init(_ value: Double) { self.init(text: "\(value)") }

    /// Creates a number from a finite decimal.
    init(_ value: Decimal128) { self.init(text: value.description) }

    /// Creates a number from its decimal text: digits, optionally with a sign, a decimal point and an exponent of ten.
    init(text: String) {
        var (digits, power, isNegative, isFraction) = ([UInt8](), 0, false, false)
        var bytes = Array(text.utf8)[...]
        while let byte = bytes.popFirst() {
            switch byte {
            case 0x2D: isNegative = true
            case 0x2E: isFraction = true
            case 0x30...0x39:
                digits.append(byte)
                if isFraction { power -= 1 }
            default:
                power += Int(Array(bytes).text) ?? 0
                bytes = []
            }
        }
        self.init(digits: digits, power: power, isNegative: isNegative)
    }

    /// Creates the number that ASCII digits denote, times ten to the power of `power`.
    private init(digits: [UInt8], power: Int, isNegative: Bool) {
        let significant = digits.drop { $0 == 0x30 }
        // Leading zeros align the point to the boundary between two limbs.
        let shift = ((power % 9) + 9) % 9
        var padded = Array(significant) + Array(repeating: 0x30, count: shift)
        padded = Array(repeating: 0x30, count: (9 - padded.count % 9) % 9) + padded
        var limbs: [UInt64] = []
        for start in stride(from: 0, to: padded.count, by: 9) {
            limbs.append(padded[start..<(start + 9)].reduce(0) { $0 * 10 + UInt64($1 - 0x30) })
        }
        self.init(limbs: limbs, exponent: (power - shift) / 9 + limbs.count - 1, isNegative: isNegative)
    }

    /// Creates a number from any number of limbs, the most significant first; those beyond the first `count`
    /// significant ones are dropped.
    private init(limbs: [UInt64], exponent: Int, isNegative: Bool) {
        let significant = limbs.drop { $0 == 0 }
        guard !significant.isEmpty else { return }
        self.exponent = exponent - (limbs.count - significant.count)
        self.isNegative = isNegative
        self.limbs = Array(significant.prefix(Self.count))
        self.limbs += Array(repeating: 0, count: Self.count - self.limbs.count)
    }

    // MARK: Conversions

    /// The nearest decimal, ties to even; infinity if the number is too large.
    var decimal: Decimal128 {
        guard !isZero else { return Decimal128(0) }
        var digits = limbs.flatMap { Array(Text.padded(Int($0), 9).utf8) }
        var power = 9 * (exponent - Self.count + 1)
        digits = Array(digits.drop { $0 == 0x30 })
        // Below the minimum exponent of decimals fewer digits are kept.
        let kept = min(34, digits.count + power + 6176)
        guard kept > 0 else { return .underflow }
        power += digits.count - kept
        digits = Self.rounded(digits, kept)
        guard power + digits.count <= 6145 else { return isNegative ? Decimal128.infinity.negated : .infinity }
        return Decimal128("\(isNegative ? "-" : "")\(digits.text)E\(power)") ?? .nan
    }

    /// Returns the first `count` of decimal digits, rounded to nearest, ties to even. The result has one digit more if
    /// rounding carries over the first digit.
    private static func rounded(_ digits: [UInt8], _ count: Int) -> [UInt8] {
        guard digits.count > count else { return digits }
        var kept = Array(digits[..<count])
        let rest = digits[count...]
        let isHalf = rest.first == 0x35 && rest.dropFirst().allSatisfy { $0 == 0x30 }
        let isUp = isHalf ? (kept.last ?? 0) & 1 == 1 : rest.first.map { $0 >= 0x35 } ?? false
        guard isUp else { return kept }
        for place in kept.indices.reversed() {
            guard kept[place] == 0x39 else {
                kept[place] += 1
                return kept
            }
            kept[place] = 0x30
        }
        return [0x31] + kept
    }

    /// A double close to the number.
    var double: Double { decimal.doubleValue }

    /// The number as a mantissa, whose magnitude is at least 1 and below 10⁹, and the exponent of the power of 10⁹ by
    /// which it is multiplied.
    var split: (mantissa: WideNumber, exponent: Int) {
        var mantissa = self
        mantissa.exponent = 0
        return (mantissa, exponent)
    }

    /// Returns the number times 10⁹ to the power of `power`.
    func scaled(_ power: Int) -> WideNumber {
        var result = self
        result.exponent += power
        return result
    }

    // MARK: Arithmetic

    static prefix func - (number: WideNumber) -> WideNumber {
        var result = number
        result.isNegative = !number.isNegative && !number.isZero
        return result
    }

    var magnitude: WideNumber { isNegative ? -self : self }

    static func + (left: WideNumber, right: WideNumber) -> WideNumber {
        guard !left.isZero else { return right }
        guard !right.isZero else { return left }
        let (high, low) = isLess(left.magnitude, right.magnitude) ? (right, left) : (left, right)
        let distance = high.exponent - low.exponent
        guard distance <= count else { return high }
        var sum = [0] + high.limbs + Array(repeating: 0, count: distance)
        let isSum = high.isNegative == low.isNegative
        var carry: UInt64 = 0
        for place in sum.indices.reversed() {
            let index = place - 1 - distance
            let other = carry + (low.limbs.indices.contains(index) ? low.limbs[index] : 0)
            if isSum {
                (carry, sum[place]) = (sum[place] + other).quotientAndRemainder(dividingBy: base)
            } else {
                carry = sum[place] < other ? 1 : 0
                sum[place] = sum[place] + carry * base - other
            }
        }
        return WideNumber(limbs: sum, exponent: high.exponent + 1, isNegative: high.isNegative)
    }

    static func - (left: WideNumber, right: WideNumber) -> WideNumber { left + -right }

    static func * (left: WideNumber, right: WideNumber) -> WideNumber {
        guard !left.isZero, !right.isZero else { return .zero }
        var product = [UInt64](repeating: 0, count: 2 * count)
        for i in left.limbs.indices.reversed() {
            var carry: UInt64 = 0
            for j in right.limbs.indices.reversed() {
                let sum = product[i + j + 1] + left.limbs[i] * right.limbs[j] + carry
                (carry, product[i + j + 1]) = sum.quotientAndRemainder(dividingBy: base)
            }
            product[i] += carry
        }
        return WideNumber(
            limbs: product, exponent: left.exponent + right.exponent + 1,
            isNegative: left.isNegative != right.isNegative)
    }

    static func / (left: WideNumber, right: Int) -> WideNumber {
        guard !left.isZero else { return left }
        let divisor = UInt64(right.magnitude)
        var (quotient, rest) = ([UInt64](), UInt64(0))
        for limb in left.limbs + [0, 0] {
            let (part, remainder) = (rest * base + limb).quotientAndRemainder(dividingBy: divisor)
            quotient.append(part)
            rest = remainder
        }
        return WideNumber(limbs: quotient, exponent: left.exponent, isNegative: left.isNegative != (right < 0))
    }

    /// Returns the quotient, by Newton's method starting with the reciprocal of the divisor as a double.
    static func / (left: WideNumber, right: WideNumber) -> WideNumber {
        let (mantissa, exponent) = right.magnitude.split
        var reciprocal = WideNumber(1 / mantissa.double)
        for _ in 0..<3 { reciprocal = reciprocal * (WideNumber(2) - mantissa * reciprocal) }
        let quotient = left * reciprocal.scaled(-exponent)
        return right.isNegative ? -quotient : quotient
    }

    static func isLess(_ left: WideNumber, _ right: WideNumber) -> Bool {
        guard left.isNegative == right.isNegative else { return left.isNegative }
        guard !left.isZero, !right.isZero else {
            return left.isZero ? !right.isZero && !right.isNegative : left.isNegative
        }
        guard !left.isNegative else { return isLess(-right, -left) }
        guard left.exponent == right.exponent else { return left.exponent < right.exponent }
        return left.limbs.lexicographicallyPrecedes(right.limbs)
    }
}

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

    /// The tangent of this number in radians, whose magnitude must be below 10³⁰.
    var tangent: WideNumber {
        let (sine, cosine) = sineAndCosine
        return sine / cosine
    }

    /// The arc sine of this number, which must be from -1 to 1, in radians.
    var arcSine: WideNumber {
        let cosine = ((Self.one - self) * (Self.one + self)).squareRoot
        guard !cosine.isZero else { return isNegative ? -(Self.pi / 2) : Self.pi / 2 }
        return (self / cosine).arcTangent
    }

    /// The arc cosine of this number, which must be from -1 to 1, in radians.
    var arcCosine: WideNumber {
        let sum = Self.one + self
        guard !sum.isZero else { return Self.pi }
        return ((Self.one - self) / sum).squareRoot.arcTangent * WideNumber(2)
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

    /// The hyperbolic tangent of this number, whose magnitude must be below 20,000.
    var hyperbolicTangent: WideNumber {
        let (sine, cosine) = hyperbolicSineAndCosine
        return sine / cosine
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
