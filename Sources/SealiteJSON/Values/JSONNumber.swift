/// A JSON number by its exact mathematical value: an integer, a double, or the text of either with any number of
/// digits.
///
/// No value is rounded: an integer that no double represents lies between two adjacent doubles, and a text may have a
/// million digits.
package struct JSONNumber: Sendable, Comparable {
    /// The value as sign, digits and exponent; zero has no digits.
    fileprivate struct Decimal {
        var isNegative = false
        /// The significant digits, 0 to 9, without leading and trailing zeros.
        var digits: [UInt8] = []
        /// The exponent: the magnitude is 0.d₁d₂d₃… times ten to this power.
        var exponent = PowerOfTen(0)
    }

    private enum Storage {
        case integer(Int64)
        case double(Double)
        case text([UInt8])
    }

    private let storage: Storage

    package init(_ value: Int64) { storage = .integer(value) }

    /// Creates the number of a double; nil if it isn't finite, since JSON has no such numbers.
    package init?(_ value: Double) {
        guard value.isFinite else { return nil }
        storage = .double(value)
    }

    /// Creates the number of a JSON text; nil if the text isn't a number.
    package init?(json text: [UInt8]) {
        guard JSONBValidator.numberType(text[...]) != nil else { return nil }
        storage =
            text.count <= 20
            ? Int64(String(decoding: text, as: UTF8.self)).map { .integer($0) } ?? .text(text) : .text(text)
    }

    package static func == (left: Self, right: Self) -> Bool { left.compared(to: right) == 0 }

    package static func < (left: Self, right: Self) -> Bool { left.compared(to: right) < 0 }

    /// Returns a negative number, 0 or a positive number if this number is less than, equal to or greater than another
    /// one.
    package func compared(to other: JSONNumber) -> Int {
        switch (storage, other.storage) {
        case (.integer(let left), .integer(let right)): return left < right ? -1 : left > right ? 1 : 0
        case (.double(let left), .double(let right)): return left < right ? -1 : left > right ? 1 : 0
        default: return Self.compare(decimal, other.decimal)
        }
    }

    private var decimal: Decimal {
        switch storage {
        case .integer(let value): Decimal(parsing: Array(String(value).utf8))
        case .double(let value): Decimal(exactly: value)
        case .text(let text): Decimal(parsing: text)
        }
    }

    private static func compare(_ left: Decimal, _ right: Decimal) -> Int {
        func sign(_ number: Decimal) -> Int { number.digits.isEmpty ? 0 : number.isNegative ? -1 : 1 }
        guard sign(left) == sign(right) else { return sign(left) - sign(right) }
        guard sign(left) != 0 else { return 0 }
        var order = left.exponent.compared(to: right.exponent)
        if order == 0 {
            order =
                left.digits == right.digits ? 0 : left.digits.lexicographicallyPrecedes(right.digits) ? -1 : 1
        }
        return sign(left) * order
    }
}

extension JSONNumber.Decimal {
    /// Creates the value of a number's JSON text.
    fileprivate init(parsing text: [UInt8]) {
        self.init()
        guard let number = DecimalText(text.span, text.indices) else { return }
        isNegative = number.isNegative
        exponent = number.exponent
        var offset = number.digits.lowerBound
        while let digit = number.nextDigit(text.span, &offset) { digits.append(digit) }
    }

    /// Creates the exact value of a finite double, which has up to 767 digits.
    fileprivate init(exactly value: Double) {
        self.init()
        isNegative = value < 0
        guard value != 0 else { return }
        var significand = UInt64(value.significandBitPattern)
        var power = Int(value.exponentBitPattern) - 1075
        if value.isNormal { significand |= 1 << 52 } else { power = -1074 }
        let shift = min(significand.trailingZeroBitCount, max(-power, 0))
        significand >>= UInt64(shift)
        power += shift
        // Limbs of nine digits in little-endian order: significand × 2^power, or significand × 5^-power / 10^-power.
        var limbs = [significand % 1_000_000_000, significand / 1_000_000_000 % 1_000_000_000]
        limbs.append(significand / 1_000_000_000_000_000_000)
        for _ in 0..<abs(power) {
            var carry: UInt64 = 0
            for index in limbs.indices {
                let product = limbs[index] * (power < 0 ? 5 : 2) + carry
                limbs[index] = product % 1_000_000_000
                carry = product / 1_000_000_000
            }
            if carry > 0 { limbs.append(carry) }
        }
        for limb in limbs.reversed() {
            let text = Array(String(limb).utf8)
            digits.append(contentsOf: repeatElement(0, count: 9 - text.count))
            for byte in text { digits.append(byte - 0x30) }
        }
        digits.removeFirst(digits.prefix { $0 == 0 }.count)
        exponent = PowerOfTen(digits.count + min(power, 0))
        while digits.last == 0 { digits.removeLast() }
    }
}
