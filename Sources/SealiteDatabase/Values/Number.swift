package import FoundationEssentials
internal import SealiteJSON

/// A JSON number in its exact original form: integers of any size, decimals with their trailing zeros.
///
/// In JSON, integers and decimals are one type: each can be read as an integer or a decimal. Two numbers are equal if
/// their texts are equal, so `1` and `1.0` differ.
public struct Number: Sendable, Hashable, CustomStringConvertible {
    enum Storage: Sendable {
        case integer(Int64)
        case double(Double)
        /// The JSON text of a number that isn't kept as an integer or a double, for example because the text has
        /// trailing zeros.
        case text(String)
    }

    let storage: Storage

    init(storage: Storage) { self.storage = storage }

    /// Creates a number from an integer.
    public init(_ value: some BinaryInteger) {
        storage = Int64(exactly: value).map { .integer($0) } ?? .text(String(value))
    }

    /// Creates a number from a floating-point value, written with the fewest digits that identify it. A value that
    /// isn't finite can't be saved.
    public init(_ value: Double) { storage = .double(value) }

    /// Creates a number from its JSON text, which is kept unchanged; nil if the text isn't a JSON number.
    public init?(json text: String) {
        guard let type = JSONBValidator.numberType(Array(text.utf8)[...]) else { return nil }
        self.init(type: type, payload: Array(text.utf8)[...])
    }

    /// Creates a number from the type and the payload of a JSONB element, which is valid.
    init(type: UInt8, payload: ArraySlice<UInt8>) {
        if type == JSONBType.integer, let value = Self.integer(payload) {
            storage = .integer(value)
        } else {
            storage = .text(String(decoding: payload, as: UTF8.self))
        }
    }

    /// Returns the value of an integer, given by its decimal digits in ASCII with an optional minus sign; nil for more
    /// than 18 digits, and for -0.
    private static func integer(_ digits: ArraySlice<UInt8>) -> Int64? {
        let isNegative = digits.first == 0x2D
        let start = digits.startIndex + (isNegative ? 1 : 0)
        guard start < digits.endIndex, digits.endIndex - start <= 18 else { return nil }
        if isNegative, digits[start] == 0x30 { return nil }
        var value: Int64 = 0
        for index in start..<digits.endIndex { value = value &* 10 &+ Int64(digits[index] &- 0x30) }
        return isNegative ? -value : value
    }

    /// The number's JSON text.
    public var description: String {
        switch storage {
        case .integer(let value): String(value)
        case .double(let value): value.description
        case .text(let text): text
        }
    }

    /// The number as a 64-bit integer if it is equal to one, otherwise nil.
    public var exactInt64: Int64? { exact() }

    /// The number as an unsigned 64-bit integer if it is equal to one, otherwise nil.
    public var exactUInt64: UInt64? { exact() }

    @inline(__always)
    private func exact<Integer: FixedWidthInteger>() -> Integer? {
        switch storage {
        case .integer(let value): Integer(exactly: value)
        case .double(let value): Integer(exactly: value)
        case .text(let text): Integer(text) ?? Self.exact(text).flatMap { Integer(exactly: $0) }
        }
    }

    /// The number as a 64-bit integer: rounded toward zero, clamped if it doesn't fit, 0 for NaN.
    public var int64Value: Int64 {
        if let exact = exactInt64 { return exact }
        let value = doubleValue
        if value.isNaN { return 0 }
        return Int64(exactly: value.rounded(.towardZero)) ?? (value < 0 ? .min : .max)
    }

    /// The nearest double; infinite if the number is beyond the range of doubles.
    public var doubleValue: Double {
        switch storage {
        case .integer(let value): Double(value)
        case .double(let value): value
        case .text(let text): Double(text) ?? 0
        }
    }

    /// A Boolean value that says whether the number can be written as JSON: true for all but NaN and the infinities.
    var isFinite: Bool {
        if case .double(let value) = storage { value.isFinite } else { true }
    }

    /// Returns the integer that a text such as `1.0` or `1e3` equals exactly; nil if it has a fraction, or more than 20
    /// digits, which is more than integers of 64 bits have.
    private static func exact(_ text: String) -> Int128? {
        let bytes = text.utf8.span
        guard let decimal = DecimalText(bytes, 0..<bytes.count), case .small(var places) = decimal.exponent,
            places <= 20
        else { return nil }
        var (value, offset) = (Int128(0), decimal.digits.lowerBound)
        while let digit = decimal.nextDigit(bytes, &offset) {
            guard places > 0 else { return nil }
            value = value * 10 + Int128(digit)
            places -= 1
        }
        for _ in 0..<max(places, 0) { value *= 10 }
        return decimal.isNegative ? -value : value
    }

    /// Returns whether two numbers have the same text.
    public static func == (left: Number, right: Number) -> Bool {
        if case .integer(let a) = left.storage, case .integer(let b) = right.storage { return a == b }
        return left.description == right.description
    }

    /// Hashes the number's text.
    public func hash(into hasher: inout Hasher) { hasher.combine(description) }
}

// Exact conversions and comparisons.
extension Number {
    /// The number as a decimal; nil if no decimal has exactly this value.
    package var exactDecimal: Decimal? {
        guard let decimal = Decimal(string: description) else { return nil }
        return Number(json: decimal.description).map(hasValue) == true ? decimal : nil
    }

    /// Returns whether two numbers are equal, whatever their notation: `1.50` is equal to `15e-1`.
    func hasValue(of other: Number) -> Bool {
        guard let own = significant, let others = other.significant else { return false }
        return own == others
    }

    /// A number as digits without trailing zeros, times a power of ten.
    private struct Significant: Equatable {
        var isNegative: Bool
        var digits: [UInt8]
        var exponent: Int
    }

    private var significant: Significant? {
        var text = Array(description.utf8)[...]
        let isNegative = text.first == 0x2D
        if isNegative { text.removeFirst() }
        var exponent = 0
        if let mark = text.firstIndex(where: { $0 == 0x65 || $0 == 0x45 }) {
            guard let stated = Int(String(decoding: text[(mark + 1)...], as: UTF8.self)), stated.magnitude < 1 << 40
            else { return nil }
            exponent = stated
            text = text[..<mark]
        }
        if let point = text.firstIndex(of: 0x2E) { exponent -= text.endIndex - point - 1 }
        var digits = Array(text.filter { $0 != 0x2E }.drop { $0 == 0x30 })
        while digits.last == 0x30 {
            digits.removeLast()
            exponent += 1
        }
        if digits.isEmpty { return Significant(isNegative: false, digits: [], exponent: 0) }
        return Significant(isNegative: isNegative, digits: digits, exponent: exponent)
    }
}
