/// The texts of doubles in Extended JSON.
package enum DoubleText {
    /// Returns the shortest text that is parsed as the same double, always with a fraction: `1.0`, `1.5E+18`, `-0.0`,
    /// `NaN`, `Infinity`.
    package static func text(of value: Double) -> String {
        guard value.isFinite else { return value.isNaN ? "NaN" : value < 0 ? "-Infinity" : "Infinity" }
        let description = value.description
        guard description.utf8.contains(UInt8(ascii: "e")) else { return description }
        let parts = description.split(separator: "e")
        guard parts.count == 2, let exponent = Int(parts[1]) else { return description }
        let mantissa = parts[0].utf8.contains(UInt8(ascii: ".")) ? String(parts[0]) : "\(parts[0]).0"
        return "\(mantissa)E\(exponent < 0 ? "-" : "+")\(exponent.magnitude)"
    }

    /// Returns the text of the double that is nearest to the shortest text of a single-precision number: `0.1` for 0.1,
    /// whose exact value has more digits.
    package static func text(of value: Float) -> String {
        let description = value.description
        // Without an exponent, the texts of both precisions are the same.
        guard !value.isFinite || description.utf8.contains(UInt8(ascii: "e")) else { return description }
        return text(of: Double(shortest: value))
    }

    /// Returns the double of a text; nil if the text is invalid or the number too large.
    static func value(of text: String) -> Double? {
        switch text {
        case "NaN": return .nan
        case "Infinity": return .infinity
        case "-Infinity": return -.infinity
        default:
            let isPlain = text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || byte | 0x20 == 0x65 || byte == 0x2B || byte == 0x2D || byte == 0x2E
            }
            guard isPlain, let value = Double(text), value.isFinite else { return nil }
            return value
        }
    }

    /// Returns the double of a JSON number; infinity if the number is too large.
    static func value(ofJSON text: some Sequence<UInt8>) -> Double {
        Double(String(decoding: Array(text), as: UTF8.self)) ?? .nan
    }
}

extension Double {
    /// Creates the double that is nearest to the shortest text of a single-precision number, and rounds to this number:
    /// 0.1 for the single-precision 0.1.
    package init(shortest value: Float) {
        let nearest = Double(value.description) ?? Double(value)
        self = Float(nearest) == value ? nearest : Double(value)
    }
}
