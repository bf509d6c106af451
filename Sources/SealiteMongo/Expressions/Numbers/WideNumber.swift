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
        guard kept > 0 else { return Decimal128(0) }
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
