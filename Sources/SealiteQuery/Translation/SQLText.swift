internal import SealiteJSON
internal import SealiteQueryLanguage

/// Literals of SQL for texts, bytes and values.
enum SQLText {
    /// A string. One with a NUL, where SQL's text would end, is written as bytes.
    static func string(_ text: String) -> String {
        guard text.utf8.contains(0) else { return text.quoted("'") }
        return "CAST(\(bytes(Array(text.utf8))) AS TEXT)"
    }

    /// Bytes.
    static func bytes(_ bytes: some Sequence<UInt8>) -> String {
        var text = "x'"
        for byte in bytes {
            text.unicodeScalars.append(Unicode.Scalar(Hexadecimal.digit(byte >> 4)))
            text.unicodeScalars.append(Unicode.Scalar(Hexadecimal.digit(byte & 15)))
        }
        return text + "'"
    }

    /// A number from its JSON text, as a query value. SQLite's own reading of decimals isn't exact, so anything but a 64-bit integer goes by
    /// its JSONB.
    static func number(_ json: String) -> String {
        if let integer = Int64(json), String(integer) == json { return json }
        var element = JSONBWriter()
        let isFloat = json.utf8.contains { $0 == 0x2E || $0 == 0x65 || $0 == 0x45 }
        element.ascii(isFloat ? JSONBType.float : JSONBType.integer, normalised(json))
        return "query_value(\(bytes(element.bytes)))"
    }

    /// A number of the language as JSON has it: with digits around its point.
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

    /// The steps of a path as arguments of a function, each after a comma.
    static func steps(_ steps: some Sequence<PathStep>) -> String {
        var text = ""
        for step in steps {
            switch step {
            case .name(let name): text += ", \(string(name))"
            case .index(let index): text += ", \(index)"
            case .slice: break
            }
        }
        return text
    }
}
