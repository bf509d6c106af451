package import FoundationEssentials

// Converts numbers exactly for coders that know only Swift's number types; a number that no such type holds is refused.
extension Number {
    /// Creates a number from the double that a decoder returned for a JSON number, and from the decimal that it
    /// returned for the same number, if there is one. The decimal is used only if it is more exact than the double.
    init(_ value: Double, given decimal: Decimal?) {
        // Even a decimal may be too small for the number.
        guard let decimal, let exact = Number(json: decimal.description), exact.doubleValue == value,
            !exact.hasValue(of: Number(value))
        else {
            self.init(value)
            return
        }
        self = exact
    }

    /// Writes the number exactly into the container of an encoder that knows only Swift's number types.
    ///
    /// - Throws: `EncodingError` for a number that neither an integer of 64 bits nor a double nor a decimal holds
    ///   exactly.
    func encode(into container: inout any SingleValueEncodingContainer, _ path: [any CodingKey]) throws {
        if let integer = exactInt64 { return try container.encode(integer) }
        if let integer = exactUInt64 { return try container.encode(integer) }
        if case .double(let value) = storage { return try container.encode(value) }
        let nearest = doubleValue
        if nearest.isFinite, hasValue(of: Number(nearest)) { return try container.encode(nearest) }
        if let decimal = exactDecimal { return try container.encode(decimal) }
        throw EncodingError.invalidValue(
            self,
            .init(
                codingPath: path,
                debugDescription: "neither a 64-bit integer nor a Double nor a Decimal holds the number exactly"))
    }

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
