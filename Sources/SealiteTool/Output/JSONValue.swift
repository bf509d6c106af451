/// JSON as the tool writes it: compact, keys in the order given, no key for what is null in an object of ours.
enum JSONValue: Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// A number as text that is JSON already.
    case number(String)
    case text(String)
    case array([JSONValue])
    case object([(String, JSONValue)])

    /// The text, without line ends.
    var encoded: String {
        var text = ""
        write(to: &text)
        return text
    }

    private func write(to text: inout String) {
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .integer(let value): text += String(value)
        case .number(let value): text += value
        case .text(let value): Self.write(value, to: &text)
        case .array(let values):
            text += "["
            for (index, value) in values.enumerated() {
                if index > 0 { text += "," }
                value.write(to: &text)
            }
            text += "]"
        case .object(let members):
            text += "{"
            var isFirst = true
            for (key, value) in members {
                if case .null = value { continue }
                if !isFirst { text += "," }
                isFirst = false
                Self.write(key, to: &text)
                text += ":"
                value.write(to: &text)
            }
            text += "}"
        }
    }

    /// https://www.rfc-editor.org/rfc/rfc8259#section-7
    static func write(_ value: String, to text: inout String) {
        text += "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                text += "\\u" + String(scalar.value, radix: 16).padded(to: 4, with: "0", right: false)
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}

extension String {
    /// The text with enough of a character behind it (or before it) to fill a width, counted in characters.
    func padded(to width: Int, with filler: Character = " ", right: Bool = true) -> String {
        let missing = String(repeating: filler, count: max(0, width - count))
        return right ? self + missing : missing + self
    }
}
