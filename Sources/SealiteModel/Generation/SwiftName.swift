/// Creates Swift names from the names in schemas.
public enum SwiftName {
    /// Returns the name of a type for a title: characters that identifiers can't contain are dropped, and the letter
    /// after them becomes upper-case, as does the first letter if any character was dropped. A reserved word is in
    /// backticks, and `_` precedes a digit at the start. If nothing is left, the name is `Unnamed`.
    public static func type(_ title: String) -> String { quoted(words(title, startsUpper: true) ?? "Unnamed") }

    /// Returns the name of a property for a member's name, in camel case if characters were dropped. A reserved word is
    /// in backticks, and `_` precedes a digit at the start. If nothing is left, the name is `unnamed`.
    public static func property(_ name: String) -> String { quoted(words(name, startsUpper: false) ?? "unnamed") }

    /// Returns a name, in backticks if it is a reserved word.
    static func quoted(_ name: String) -> String { reserved.contains(name) ? "`\(name)`" : name }

    /// Returns a name as the label of an argument. `inout` is the only reserved word that needs backticks there; the
    /// compiler warns about backticks around the others.
    static func label(_ name: String) -> String {
        let word = unquoted(name)
        return word == "inout" ? "`\(word)`" : word
    }

    /// Returns a name without backticks.
    static func unquoted(_ name: String) -> String { name.filter { $0 != "`" } }

    /// Returns the words of a name, joined as an identifier; nil if the name contains no character that identifiers can
    /// contain.
    private static func words(_ name: String, startsUpper: Bool) -> String? {
        var parts: [String] = [""]
        for scalar in name.unicodeScalars {
            if isPart(scalar) {
                parts[parts.count - 1].unicodeScalars.append(scalar)
            } else if parts.last != "" {
                parts.append("")
            }
        }
        let isWhole = name.unicodeScalars.allSatisfy(isPart)
        let words = parts.filter { !$0.isEmpty }
        guard let first = words.first else { return nil }
        var result = isWhole || !startsUpper ? first : upper(first)
        for word in words.dropFirst() { result += upper(word) }
        guard result.contains(where: { $0 != "_" }) || result.count > 1 else { return nil }
        if let head = result.unicodeScalars.first, !isHead(head) { result = "_" + result }
        return result
    }

    private static func upper(_ word: String) -> String {
        guard let first = word.first else { return word }
        // In some scripts, the upper-case form of a letter consists of several letters, some of which identifiers can't
        // contain.
        let letter = String(first).uppercased()
        return (letter.unicodeScalars.allSatisfy(isPart) ? letter : String(first)) + word.dropFirst()
    }

    // MARK: - Characters

    /// Returns whether an identifier may contain a scalar: letters, their marks and digits in the planes that Swift
    /// accepts. Invisible scalars, and those that change the direction of writing, aren't accepted.
    private static func isPart(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar == "_" || scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) }
        guard scalar.value <= 0xFFFF, !scalar.properties.isDefaultIgnorableCodePoint else { return false }
        return switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .letterNumber,
            .decimalNumber, .nonspacingMark, .spacingMark:
            // Swift's identifiers can't contain these letters and marks.
            scalar.value != 0x2E2F && !(0x302A...0x302F).contains(scalar.value)
        default: false
        }
    }

    /// Returns whether an identifier may start with a scalar.
    private static func isHead(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return !("0"..."9").contains(scalar) }
        return switch scalar.properties.generalCategory {
        case .decimalNumber, .nonspacingMark, .spacingMark, .letterNumber: false
        default: true
        }
    }

    // MARK: - Words

    /// The reserved words that can be names only in backticks.
    private static let reserved: Set<String> = [
        "Any", "Protocol", "Self", "Type", "as", "associatedtype", "await", "break", "case", "catch", "class",
        "continue", "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false",
        "fileprivate", "for", "func", "guard", "if", "import", "in", "init", "inout", "internal", "is", "let", "nil",
        "operator", "precedencegroup", "private", "protocol", "public", "repeat", "rethrows", "return", "self",
        "static", "struct", "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias", "var",
        "where", "while",
    ]
}
