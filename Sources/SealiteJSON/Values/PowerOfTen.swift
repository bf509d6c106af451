/// An exponent of ten of any size, since malicious texts may have exponents that no integer type can represent.
package enum PowerOfTen: Sendable, Equatable {
    /// An exponent whose magnitude is below 10¹⁸.
    case small(Int)
    /// Any other exponent: the decimal digits of its magnitude (0 to 9), the most significant one first, without
    /// leading zeros.
    case large(isNegative: Bool, digits: [UInt8])

    private static let smallDigitCount = 18

    init(_ value: Int) {
        let digits = String(value.magnitude).utf8
        self =
            digits.count <= Self.smallDigitCount
            ? .small(value) : .large(isNegative: value < 0, digits: digits.map { $0 - 0x30 })
    }

    /// Creates the sum of two numbers: the one whose decimal digits are in a range of bytes, negative if `isNegative`,
    /// and `more`, whose magnitude is far below 10¹⁸.
    @inline(__always)
    init(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>, isNegative: Bool, plus more: Int) {
        // An exponent of at most nine digits is always small, so that leading zeros needn't be skipped.
        guard range.count > 9 else {
            let value = Self.value(bytes, range)
            self = .small((isNegative ? -value : value) + more)
            return
        }
        self.init(long: bytes, range, isNegative: isNegative, plus: more)
    }

    private init(long bytes: borrowing Span<UInt8>, _ range: Range<Int>, isNegative: Bool, plus more: Int) {
        var first = range.lowerBound
        while first < range.upperBound, bytes[first] == 0x30 { first += 1 }
        guard range.upperBound - first > Self.smallDigitCount else {
            let value = Self.value(bytes, first..<range.upperBound)
            self.init((isNegative ? -value : value) + more)
            return
        }
        var digits: [UInt8] = []
        digits.reserveCapacity(range.upperBound - first)
        for index in first..<range.upperBound { digits.append(bytes[index] - 0x30) }
        Self.add(isNegative ? -more : more, to: &digits)
        let value = digits.count <= Self.smallDigitCount ? digits.reduce(0) { $0 * 10 + Int($1) } : nil
        self =
            value.map { .small(isNegative ? -$0 : $0) } ?? .large(isNegative: isNegative, digits: digits)
    }

    @inline(__always)
    private static func value(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) -> Int {
        var value = 0
        for index in range { value = value * 10 + Int(bytes[index] - 0x30) }
        return value
    }

    /// Adds a value, which may be negative, to a number given as decimal digits that is far greater.
    private static func add(_ value: Int, to digits: inout [UInt8]) {
        var carry = value
        for index in digits.indices.reversed() where carry != 0 {
            let sum = Int(digits[index]) + carry
            let digit = ((sum % 10) + 10) % 10
            digits[index] = UInt8(digit)
            carry = (sum - digit) / 10
        }
        if carry > 0 { digits.insert(contentsOf: String(carry).utf8.map { $0 - 0x30 }, at: 0) }
        digits.removeFirst(digits.prefix { $0 == 0 }.count)
    }

    /// Returns a negative number, 0 or a positive number if this exponent is less than, equal to or greater than
    /// another one.
    func compared(to other: PowerOfTen) -> Int {
        switch (self, other) {
        case (.small(let left), .small(let right)): return left < right ? -1 : left > right ? 1 : 0
        case (.small, .large(let isNegative, _)): return isNegative ? 1 : -1
        case (.large(let isNegative, _), .small): return isNegative ? -1 : 1
        case (.large(let isNegative, let left), .large(let otherIsNegative, let right)):
            guard isNegative == otherIsNegative else { return isNegative ? -1 : 1 }
            var order = left.count - right.count
            if order == 0, left != right { order = left.lexicographicallyPrecedes(right) ? -1 : 1 }
            return isNegative ? -order : order
        }
    }
}
