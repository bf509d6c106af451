internal import SealiteValues

/// Converts values to Swift expressions.
enum SwiftLiteral {
    /// Returns a string literal; characters that are invisible, end a line or change the direction of writing are
    /// escaped.
    static func text(_ text: String) -> String {
        var literal = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": literal += "\\\(scalar)"
            case "\n": literal += "\\n"
            case _ where isPlain(scalar): literal.unicodeScalars.append(scalar)
            default: literal += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            }
        }
        return literal + "\""
    }

    /// Returns whether a scalar is used in source text without escaping.
    static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: false
        default: true
        }
    }

    /// Returns a Swift expression for a double.
    static func double(_ number: Double) -> String {
        if number.isNaN { return ".nan" }
        if number.isInfinite { return number < 0 ? "-.infinity" : ".infinity" }
        // The compiler refuses the digits of subnormal numbers.
        return number.isSubnormal ? "Double(bitPattern: \(number.bitPattern))" : "\(number)"
    }

    /// Returns a Swift expression for a BSON value. For a value without a literal, the type of the expression is
    /// optional: `try? BSON(extendedJSON: …)`.
    static func bson(_ value: BSON) -> String {
        plain(value, special: { ".double(\($0))" })
            ?? "try? BSON(extendedJSON: \(text(value.extendedJSON(.canonical))))"
    }

    /// Returns a Swift expression for a mixed value; nil for a value that JSON can't express.
    static func mixed(_ value: BSON) -> String? { plain(value, special: { _ in nil }) }

    /// Returns the literal of a JSON value; nil if it contains a value of another type. `special` returns the final
    /// expression for a subnormal, infinite or NaN double, of which it receives a plain one; nil if there is none.
    private static func plain(_ value: BSON, special: (String) -> String?) -> String? {
        switch value {
        case .null: return ".null"
        case .bool(let flag): return "\(flag)"
        case .int32(let number): return "\(number)"
        case .int64(let number) where Int32(exactly: number) == nil: return "\(number)"
        case .double(let number): return number.isNormal || number.isZero ? double(number) : special(double(number))
        case .string(let string): return text(string)
        case .array(let items):
            let literals = items.compactMap { plain($0, special: special) }
            return literals.count == items.count ? "[\(literals.joined(separator: ", "))]" : nil
        case .document(let document):
            guard !document.isEmpty else { return "[:]" }
            let literals = document.compactMap { member in
                plain(member.value, special: special).map { "\(text(member.key)): \($0)" }
            }
            return literals.count == document.count ? "[\(literals.joined(separator: ", "))]" : nil
        default: return nil
        }
    }
}
