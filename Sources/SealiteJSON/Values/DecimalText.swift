/// The parsed text of a JSON number as ±0.d₁d₂d₃… times a power of ten; its digits remain in the text and aren't
/// copied.
package struct DecimalText {
    package let isNegative: Bool
    /// The range in the text from the first digit that isn't zero to the last digit that isn't zero, with the decimal
    /// point if it is between them. Empty for zero.
    package let digits: Range<Int>
    /// The exponent *e* of the number ±0.d₁d₂d₃… × 10ᵉ.
    package let exponent: PowerOfTen

    /// Parses the range `text` of bytes; nil if it isn't a JSON number.
    @inline(__always)
    package init?(_ bytes: borrowing Span<UInt8>, _ text: Range<Int>) {
        let end = text.upperBound
        var index = text.lowerBound
        let hasMinus = index < end && bytes[index] == 0x2D
        if hasMinus { index += 1 }
        let whole = index..<Self.endOfDigits(bytes, index, end)
        // Leading zeros aren't allowed.
        guard !whole.isEmpty, whole.count == 1 || bytes[whole.lowerBound] != 0x30 else { return nil }
        var fraction = whole.upperBound..<whole.upperBound
        if whole.upperBound < end, bytes[whole.upperBound] == 0x2E {
            fraction = (whole.upperBound + 1)..<Self.endOfDigits(bytes, whole.upperBound + 1, end)
            guard !fraction.isEmpty else { return nil }
        }
        var power = fraction.upperBound..<fraction.upperBound
        var isPowerNegative = false
        if power.upperBound < end {
            guard bytes[power.upperBound] | 0x20 == 0x65 else { return nil }
            index = power.upperBound + 1
            if index < end, bytes[index] == 0x2B || bytes[index] == 0x2D {
                isPowerNegative = bytes[index] == 0x2D
                index += 1
            }
            power = index..<Self.endOfDigits(bytes, index, end)
            guard !power.isEmpty, power.upperBound == end else { return nil }
        }
        digits = Self.significant(bytes, whole.lowerBound..<fraction.upperBound)
        isNegative = hasMinus && !digits.isEmpty
        guard !digits.isEmpty else {
            exponent = .small(0)
            return
        }
        let isWhole = digits.lowerBound < whole.upperBound
        let place = isWhole ? whole.upperBound - digits.lowerBound : fraction.lowerBound - digits.lowerBound
        exponent = PowerOfTen(bytes, power, isNegative: isPowerNegative, plus: place)
    }

    @inline(__always)
    private static func endOfDigits(_ bytes: borrowing Span<UInt8>, _ start: Int, _ end: Int) -> Int {
        var index = start
        while index < end, bytes[index] >= 0x30, bytes[index] <= 0x39 { index += 1 }
        return index
    }

    /// Returns the part of a range of digits, which may contain a decimal point, from the first to the last digit that
    /// isn't zero; empty if there is none.
    @inline(__always)
    private static func significant(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) -> Range<Int> {
        var (first, end) = (range.lowerBound, range.upperBound)
        while first < end, bytes[first] == 0x30 || bytes[first] == 0x2E { first += 1 }
        while end > first, bytes[end - 1] == 0x30 || bytes[end - 1] == 0x2E { end -= 1 }
        return first..<end
    }

    /// Returns the value, from 0 to 9, of the digit at an offset, which is advanced past the digit and a decimal point
    /// before it; nil after the last digit.
    @inline(__always)
    package func nextDigit(_ bytes: borrowing Span<UInt8>, _ offset: inout Int) -> UInt8? {
        if offset < digits.upperBound, bytes[offset] == 0x2E { offset += 1 }
        guard offset < digits.upperBound else { return nil }
        offset += 1
        return bytes[offset - 1] - 0x30
    }

    /// Returns a negative number, 0 or a positive number if the left number is less than, equal to or greater than the
    /// right one, by their exact values.
    package static func compare(
        _ left: DecimalText, _ leftBytes: borrowing Span<UInt8>, _ right: DecimalText,
        _ rightBytes: borrowing Span<UInt8>
    ) -> Int {
        let (leftSign, rightSign) = (left.sign, right.sign)
        guard leftSign == rightSign else { return leftSign - rightSign }
        guard leftSign != 0 else { return 0 }
        let powers = left.exponent.compared(to: right.exponent)
        guard powers == 0 else { return leftSign * powers }
        var (leftOffset, rightOffset) = (left.digits.lowerBound, right.digits.lowerBound)
        while true {
            let leftDigit = left.nextDigit(leftBytes, &leftOffset)
            let rightDigit = right.nextDigit(rightBytes, &rightOffset)
            guard let leftDigit, let rightDigit else {
                return leftSign * ((leftDigit == nil ? 0 : 1) - (rightDigit == nil ? 0 : 1))
            }
            if leftDigit != rightDigit { return leftSign * (leftDigit < rightDigit ? -1 : 1) }
        }
    }

    private var sign: Int { digits.isEmpty ? 0 : isNegative ? -1 : 1 }
}

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
