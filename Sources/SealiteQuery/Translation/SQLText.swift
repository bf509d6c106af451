internal import SealiteBase
internal import SealiteFunctions
internal import SealiteJSON
internal import SealiteQueryLanguage

/// Writes SQL literals for texts, bytes and values.
enum SQLText {
    /// Returns the given texts joined together, with one allocation.
    static func joined(_ parts: String...) -> String {
        var count = 0
        for part in parts { count += part.utf8.count }
        return unsafe String(unsafeUninitializedCapacity: count) { buffer in
            var end = 0
            for part in parts {
                let bytes = part.utf8.span
                unsafe bytes.withUnsafeBufferPointer { bytes in
                    let rest = unsafe UnsafeMutableBufferPointer(rebasing: buffer[end...])
                    _ = unsafe rest.initialize(fromContentsOf: bytes)
                }
                end += bytes.count
            }
            assert(end == count, "each byte of the text is written")
            return end
        }
    }

    /// Returns the SQL for a string: a literal or, for a string with a NUL, which would end SQL text, its bytes
    /// converted to text.
    static func string(_ text: String) -> String {
        let characters = text.utf8.span
        var (hasEnd, hasMark) = (false, false)
        for index in characters.indices {
            hasEnd = hasEnd || characters[index] == 0
            hasMark = hasMark || characters[index] == UInt8(ascii: "'")
        }
        if hasEnd { return "CAST(\(bytes(text.utf8)) AS TEXT)" }
        return hasMark ? text.quoted("'") : joined("'", text, "'")
    }

    /// Returns the SQL literal of a BLOB.
    static func bytes(_ bytes: some Collection<UInt8>) -> String { "x'\(Hexadecimal.text(of: bytes))'" }

    /// Returns the SQL for a number as a query value. `json` is the number as JSON text. Any number but a 64-bit
    /// integer is written as JSONB, because SQLite doesn't parse decimals exactly.
    static func number(_ json: String) -> String {
        if isInteger(json) { return json }
        var element = JSONBWriter()
        let isFloat = json.utf8.contains { $0 == 0x2E || $0 == 0x65 || $0 == 0x45 }
        element.ascii(isFloat ? JSONBType.float : JSONBType.integer, normalised(json))
        return "query_value(\(bytes(element.bytes)))"
    }

    /// Returns whether a number is a BLOB as a query value, because neither 64 bits nor a double can represent it. `json`
    /// is the number as JSON text.
    static func isBig(_ json: String) -> Bool { !isInteger(json) && isBigNumber(normalised(json)) }

    /// Returns whether the text of a number is that of a 64-bit integer.
    private static func isInteger(_ json: String) -> Bool {
        let digits = json.utf8.span
        if !digits.isEmpty, digits.count < 19, digits.count == 1 || digits[0] != 0x30 {
            var isPositive = true
            for index in digits.indices where digits[index] < 0x30 || digits[index] > 0x39 { isPositive = false }
            if isPositive { return true }
        }
        return Int64(json).map { String($0) == json } ?? false
    }

    /// Returns a number literal of SQL++ as JSON text, with digits on both sides of the decimal point.
    private static func normalised(_ text: String) -> String {
        var result = ""
        var previous: Character?
        for character in text {
            if character == ".", previous.map({ !$0.isNumber }) ?? true { result.append("0") }
            if previous == ".", !character.isNumber { result.append("0") }
            result.append(character)
            previous = character
        }
        return previous == "." ? result + "0" : result
    }

    /// Returns the SQL of the steps of a path as arguments of a function, each preceded by a comma. Slices and stars are
    /// left out.
    static func steps(_ steps: some Sequence<PathStep>) -> String {
        var text = ""
        for step in steps {
            switch step {
            case .name(let name):
                text += ", "
                text += string(name)
            case .index(let index): text += ", \(index)"
            case .slice, .star: break
            }
        }
        return text
    }
}
