import SealiteBase
import SealiteJSON

/// A number in a query, in one of the forms that queries compute with (Documentation/QueryFunctions.md §1).
enum QueryNumber {
    /// A number without fraction and exponent that 64 bits can represent.
    case integer(Int64)
    /// A number equal to the shortest text of a finite double.
    case double(Double)
    /// Any other number, whose value is only in its text.
    case big

    /// Creates the number of a text in JSON syntax; nil for other texts.
    @inline(__always)
    init?(_ text: borrowing Span<UInt8>) {
        if let usual = Self.usual(text) { self = usual } else { self.init(slowly: text) }
    }

    /// The powers of ten that doubles represent exactly.
    private static let powers: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]

    /// Returns an integer of at most 18 digits, or a number of at most 15 digits with a small exponent; nil for other
    /// texts.
    @inline(__always)
    private static func usual(_ text: borrowing Span<UInt8>) -> QueryNumber? {
        let end = text.count
        let isNegative = end > 0 && text[0] == 0x2D
        var index = isNegative ? 1 : 0
        let first = index
        var digits: UInt64 = 0
        while index < end, text[index] &- 0x30 < 10 {
            digits = digits &* 10 &+ UInt64(text[index] &- 0x30)
            index += 1
        }
        let wholeCount = index - first
        guard wholeCount > 0, wholeCount <= 18, text[first] != 0x30 || wholeCount == 1 else { return nil }
        guard index < end else {
            let value = Int64(truncatingIfNeeded: digits)
            return .integer(isNegative ? -value : value)
        }
        return fractional(text, index, digits, isNegative)
    }

    /// Returns the number whose integer part `whole` ends before the byte at `start`; nil if the text isn't a number, or
    /// has more than 15 digits or a power of ten beyond ±22.
    private static func fractional(
        _ text: borrowing Span<UInt8>, _ start: Int, _ whole: UInt64, _ isNegative: Bool
    ) -> QueryNumber? {
        var (index, digits, power) = (start, whole, 0)
        if text[index] == 0x2E {
            let first = index + 1
            index = first
            while index < text.count, text[index] &- 0x30 < 10, digits < 1_000_000_000_000_000 {
                digits = digits * 10 + UInt64(text[index] &- 0x30)
                index += 1
            }
            power = first - index
            guard power < 0 else { return nil }
        }
        if index < text.count {
            guard let exponent = exponent(text, index) else { return nil }
            power += exponent
        }
        // Within these bounds one division or multiplication rounds correctly, and different numbers have
        // different doubles.
        guard digits < 1_000_000_000_000_000, power >= -22, power <= 22 else { return nil }
        let value = power < 0 ? Double(digits) / powers[-power] : Double(digits) * powers[power]
        return .double(isNegative ? -value : value)
    }

    /// Returns the exponent at the end of a text; nil if it is invalid or has more than two digits.
    private static func exponent(_ text: borrowing Span<UInt8>, _ start: Int) -> Int? {
        guard text[start] | 0x20 == 0x65 else { return nil }
        var index = start + 1
        guard index < text.count else { return nil }
        let isNegative = text[index] == 0x2D
        if isNegative || text[index] == 0x2B { index += 1 }
        guard index < text.count, text.count - index <= 2 else { return nil }
        var value = 0
        while index < text.count {
            let digit = text[index] &- 0x30
            guard digit < 10 else { return nil }
            value = value * 10 + Int(digit)
            index += 1
        }
        return isNegative ? -value : value
    }

    private init?(slowly text: borrowing Span<UInt8>) {
        guard let exact = DecimalText(text, 0..<text.count) else { return nil }
        // The C library's function isn't used, since a host's locale may require a comma as the decimal separator.
        let string = unsafe text.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
        if let value = Int64(string) {
            self = .integer(value)
        } else if let value = Double(string), value.isFinite, Self.isShortest(value, exact, text) {
            self = .double(value)
        } else {
            self = .big
        }
    }

    private static func isShortest(_ value: Double, _ exact: DecimalText, _ text: borrowing Span<UInt8>) -> Bool {
        var shortest = value.description
        return shortest.withUTF8 { utf8 in
            let span = unsafe utf8.span
            guard let other = DecimalText(span, 0..<span.count) else { return false }
            return DecimalText.compare(exact, text, other, span) == 0
        }
    }

    /// Returns the double nearest to a number's text; infinite if the number is too large.
    static func nearestDouble(_ text: borrowing Span<UInt8>) -> Double {
        Double(unsafe text.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }) ?? 0
    }
}

/// The number at the start of a string.
struct NumericPrefix {
    /// The number's value, which is finite; 0 if the string doesn't begin with a number, or the number is too large for
    /// a double.
    let value: Double
    /// The value as an integer, if it is written in decimal digits without fraction and exponent, and 64 bits can
    /// represent it; otherwise nil.
    let integer: Int64?

    /// Creates the number at the start of a text: optional white space and sign, then decimal digits with fraction and
    /// exponent or, if `allowsHexadecimal` is true, hexadecimal digits after 0x.
    init(_ text: QueryBytes, allowsHexadecimal: Bool = true) {
        var reader = Reader(text)
        reader.pass { $0 == 0x20 || $0 &- 0x09 < 5 }
        let start = reader.offset
        let isNegative = reader.pass(0x2D)
        if !isNegative { _ = reader.pass(0x2B) }
        if allowsHexadecimal, let value = reader.hexadecimal() {
            (self.value, integer) = (isNegative ? -value : value, nil)
            return
        }
        let hasWhole = reader.pass { $0 &- 0x30 < 10 } > 0
        var end = reader.offset
        var isWhole = true
        if reader.pass(0x2E) {
            let hasFraction = reader.pass { $0 &- 0x30 < 10 } > 0
            if hasFraction || hasWhole { (end, isWhole) = (reader.offset, false) }
            guard hasFraction || hasWhole else {
                (value, integer) = (0, nil)
                return
            }
        } else if !hasWhole {
            (value, integer) = (0, nil)
            return
        }
        reader.offset = end
        if reader.pass(0x65) || reader.pass(0x45) {
            if !reader.pass(0x2D) { _ = reader.pass(0x2B) }
            if reader.pass({ $0 &- 0x30 < 10 }) > 0 { (end, isWhole) = (reader.offset, false) }
        }
        let number = reader.string(start..<end)
        integer = isWhole ? Int64(number) : nil
        let nearest = integer.map { Double($0) } ?? Double(number) ?? 0
        value = nearest.isFinite ? nearest : 0
    }

    /// A reader of the text's bytes.
    private struct Reader {
        let text: QueryBytes
        var offset = 0

        init(_ text: QueryBytes) { self.text = text }

        var current: UInt8? { offset < text.count ? unsafe text.payload[offset] : nil }

        @discardableResult
        mutating func pass(_ test: (UInt8) -> Bool) -> Int {
            let start = offset
            while let byte = current, test(byte) { offset += 1 }
            return offset - start
        }

        mutating func pass(_ byte: UInt8) -> Bool {
            guard current == byte else { return false }
            offset += 1
            return true
        }

        func string(_ range: Range<Int>) -> String {
            unsafe String(decoding: UnsafeBufferPointer(rebasing: text.payload[range]), as: UTF8.self)
        }

        /// Reads the value of hexadecimal digits after 0x; returns nil, and reads nothing, if there are none.
        mutating func hexadecimal() -> Double? {
            let start = offset
            guard pass(0x30), pass(0x78) || pass(0x58) else {
                offset = start
                return nil
            }
            var value = 0.0
            let count = pass { byte in
                guard let digit = Hexadecimal.value(byte) else { return false }
                value = value * 16 + Double(digit)
                return true
            }
            guard count > 0 else {
                offset = start
                return nil
            }
            return value.isFinite ? value : 0
        }
    }
}

/// Returns whether a number is a BLOB in queries, because it is neither an integer of 64 bits nor equal to the shortest
/// text of a finite double (Documentation/QueryFunctions.md §1). `json` is the number as JSON text.
package func isBigNumber(_ json: String) -> Bool {
    let text = Array(json.utf8)
    if case .big? = QueryNumber(text.span) { return true }
    return false
}
