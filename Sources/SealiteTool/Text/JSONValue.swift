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

/// What has a form in the JSON that the tool writes.
protocol JSONRepresentable {
    var json: JSONValue { get }
}

extension JSONValue: JSONRepresentable, ExpressibleByDictionaryLiteral {
    var json: JSONValue { self }

    init(dictionaryLiteral members: (String, any JSONRepresentable)...) {
        self = .object(members.map { ($0, $1.json) })
    }

    /// Returns `true` if something applies, else null, which objects leave out.
    static func flag(_ isSet: Bool) -> JSONValue { isSet ? .bool(true) : .null }
}

extension Bool: JSONRepresentable {
    var json: JSONValue { .bool(self) }
}

extension String: JSONRepresentable {
    var json: JSONValue { .text(self) }
}

extension BinaryInteger {
    var json: JSONValue { .integer(Int64(clamping: self)) }
}

extension Int: JSONRepresentable {}
extension Int32: JSONRepresentable {}
extension Int64: JSONRepresentable {}
extension UInt32: JSONRepresentable {}
extension UInt64: JSONRepresentable {}

extension Optional: JSONRepresentable where Wrapped: JSONRepresentable {
    var json: JSONValue { self?.json ?? .null }
}

extension Array: JSONRepresentable where Element: JSONRepresentable {
    var json: JSONValue { .array(map(\.json)) }
}

extension String {
    /// Returns the text padded to a width in characters with a filler, which is added at the right end or, if `right`
    /// is false, at the left end.
    func padded(to width: Int, with filler: Character = " ", right: Bool = true) -> String {
        let missing = String(repeating: filler, count: max(0, width - count))
        return right ? self + missing : missing + self
    }
}
