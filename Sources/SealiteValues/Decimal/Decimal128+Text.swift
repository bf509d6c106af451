extension Decimal128: LosslessStringConvertible {
    /// Creates the number of a text such as `-1.50`, `1E+3`, `Infinity` or `NaN`; nil if the text is invalid, or
    /// decimal128 can't represent the number exactly.
    public init?(_ description: String) {
        var text = DecimalLiteral(description.utf8[...])
        guard let number = text.number else { return nil }
        self = number
    }

    /// Creates the number of a text as ``init(_:)`` does, without the digits after the first 34.
    package init?(truncating description: String) {
        var text = DecimalLiteral(description.utf8[...])
        text.truncatesDigits = true
        guard let number = text.number else { return nil }
        self = number
    }

    /// The shortest text that preserves the digits and the exponent, in the format of BSON's decimal128 specification.
    public var description: String {
        guard let parts else { return isNaN ? "NaN" : isNegative ? "-Infinity" : "Infinity" }
        let digits = String(parts.coefficient)
        let sign = parts.isNegative ? "-" : ""
        let adjusted = parts.adjustedExponent
        guard parts.exponent <= 0, adjusted >= -6 else {
            let fraction = digits.count > 1 ? ".\(digits.dropFirst())" : ""
            return "\(sign)\(digits.prefix(1))\(fraction)E\(adjusted < 0 ? "-" : "+")\(adjusted.magnitude)"
        }
        guard parts.exponent < 0 else { return sign + digits }
        let places = -parts.exponent
        guard digits.count > places else {
            return "\(sign)0.\(String(repeating: "0", count: places - digits.count))\(digits)"
        }
        return "\(sign)\(digits.dropLast(places)).\(digits.suffix(places))"
    }
}

/// A parser of the text of a decimal number.
private struct DecimalLiteral {
    private var rest: Substring.UTF8View
    private var isNegative = false
    /// The digits, 0 to 9, without leading zeros.
    private var digits: [UInt8] = []
    private var hasDigits = false
    private var exponent = 0

    /// A Boolean value that says whether digits after the first 34 are left out, instead of refused.
    var truncatesDigits = false

    init(_ text: Substring.UTF8View) { rest = text }

    var number: Decimal128? {
        mutating get {
            isNegative = rest.first == UInt8(ascii: "-")
            if isNegative || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
            if let special { return isNegative ? special.negated : special }
            readDigits()
            if rest.first == UInt8(ascii: ".") {
                rest.removeFirst()
                exponent -= readDigits()
            }
            guard hasDigits, readExponent(), rest.isEmpty else { return nil }
            return exact
        }
    }

    /// Positive infinity for `Infinity` or `Inf`, and NaN for `NaN`, in upper or lower case; nil for any other text.
    /// After a minus sign NaN is negated, since `number` negates it once more.
    private var special: Decimal128? {
        guard let first = rest.first, first | 0x20 == UInt8(ascii: "i") || first | 0x20 == UInt8(ascii: "n"),
            rest.count <= 8
        else { return nil }
        switch String(decoding: rest.map { $0 | 0x20 }, as: UTF8.self) {
        case "inf", "infinity": return .infinity
        case "nan": return isNegative ? .nan.negated : .nan
        default: return nil
        }
    }

    /// Reads digits and returns how many there were.
    @discardableResult
    private mutating func readDigits() -> Int {
        let run = rest.prefix { $0 >= 0x30 && $0 <= 0x39 }
        for byte in run where byte != 0x30 || !digits.isEmpty { digits.append(byte - 0x30) }
        hasDigits = hasDigits || !run.isEmpty
        rest.removeFirst(run.count)
        return run.count
    }

    private mutating func readExponent() -> Bool {
        guard let letter = rest.first, letter | 0x20 == UInt8(ascii: "e") else { return true }
        rest.removeFirst()
        let isMinus = rest.first == UInt8(ascii: "-")
        if isMinus || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
        let run = rest.prefix { $0 >= 0x30 && $0 <= 0x39 }
        guard !run.isEmpty else { return false }
        rest.removeFirst(run.count)
        // An exponent with more digits is far out of range; the length of a text is below 10¹².
        let value = run.reduce(0) { min($0 * 10 + Int($1 - 0x30), 1_000_000_000_000_000) }
        exponent += isMinus ? -value : value
        return true
    }

    /// The number, if decimal128 can represent it without rounding; otherwise nil.
    private var exact: Decimal128? {
        var (digits, exponent) = (digits[...], exponent)
        while let last = digits.last, last == 0,
            digits.count > DecimalParts.digitCount || exponent < DecimalParts.exponents.lowerBound
        {
            digits.removeLast()
            exponent += 1
        }
        if truncatesDigits, digits.count > DecimalParts.digitCount {
            exponent += digits.count - DecimalParts.digitCount
            digits = digits.prefix(DecimalParts.digitCount)
        }
        guard digits.count <= DecimalParts.digitCount else { return nil }
        if digits.isEmpty {
            exponent = min(max(exponent, DecimalParts.exponents.lowerBound), DecimalParts.exponents.upperBound)
        }
        guard exponent >= DecimalParts.exponents.lowerBound else { return nil }
        let coefficient = digits.reduce(UInt128(0)) { $0 * 10 + UInt128($1) }
        let number = Decimal128(
            clamping: DecimalParts(isNegative: isNegative, coefficient: coefficient, exponent: exponent))
        return number.isFinite ? number : nil
    }
}
