/// A JSON value, compared by meaning: 1725 equals 1725.0, members have no order.
indirect enum JSONValue: Equatable, Decodable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case double(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .double(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    /// The number that a text of JSON is.
    static func number(_ text: String) -> JSONValue {
        if let integer = Int64(text) { return .integer(integer) }
        let value = Double(text) ?? .nan
        return Int64(exactly: value).map { .integer($0) } ?? .double(value)
    }

    /// The value with names of functions in upper case, whole numbers as integers and LEFT OUTER as LEFT: LiteCore keeps the
    /// spelling of the query, the tree doesn't.
    var normalised: JSONValue {
        switch self {
        case .double(let value): return Int64(exactly: value).map { .integer($0) } ?? self
        case .string("LEFT OUTER"): return .string("LEFT")
        case .string(let value): return value.hasSuffix("()") ? .string(value.uppercased()) : self
        case .array(let items): return .array(items.map(\.normalised))
        case .object(let members): return .object(members.mapValues(\.normalised))
        default: return self
        }
    }
}
