internal import SealiteJSON

/// JSON in the form that the tool writes: compact, keys in the given order, and no members with null in the tool's own
/// objects.
enum JSONValue: Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// A number as valid JSON text.
    case number(String)
    case text(String)
    /// A value as valid JSON text.
    case json(String)
    case array([JSONValue])
    case object([(String, JSONValue)])

    /// The JSON text of the value, on one line.
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
    /// Returns the text padded to a width in characters with a filler, which is added at the right end or, if `right`
    /// is false, at the left end.
    func padded(to width: Int, with filler: Character = " ", right: Bool = true) -> String {
        let missing = String(repeating: filler, count: max(0, width - count))
        return right ? self + missing : missing + self
    }
}
