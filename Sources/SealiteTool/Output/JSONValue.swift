internal import SealiteJSON

/// JSON as the tool writes it: compact, keys in the order given, no key for what is null in an object of ours.
enum JSONValue: Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// A number as text that is JSON already.
    case number(String)
    case text(String)
    /// A value as text that is JSON already.
    case json(String)
    case array([JSONValue])
    case object([(String, JSONValue)])

    /// The text, without line ends.
    var encoded: String {
        var writer = JSONTextWriter()
        write(to: &writer)
        return writer.string
    }

    private func write(to writer: inout JSONTextWriter) {
        switch self {
        case .null: writer.null()
        case .bool(let value): writer.boolean(value)
        case .integer(let value): writer.integer(value)
        case .number(let value), .json(let value): writer.raw(value.utf8)
        case .text(let value): writer.string(value)
        case .array(let values): writer.array { writer in for value in values { value.write(to: &writer) } }
        case .object(let members):
            writer.object { writer in
                for (key, value) in members {
                    if case .null = value { continue }
                    writer.name(key)
                    value.write(to: &writer)
                }
            }
        }
    }
}

extension String {
    /// The text with enough of a character behind it (or before it) to fill a width, counted in characters.
    func padded(to width: Int, with filler: Character = " ", right: Bool = true) -> String {
        let missing = String(repeating: filler, count: max(0, width - count))
        return right ? self + missing : missing + self
    }
}
