import SealiteJSON

/// A copy of an argument's value, which can be kept after the call.
enum OwnedValue {
    /// MISSING, null, a Boolean, an integer or a double, which has no bytes that would need a copy.
    case plain(QueryValue)
    /// A string, a number that is kept as text, an array or an object, as a copied JSONB element.
    case element([UInt8])

    init(_ value: QueryValue) {
        switch value {
        case .string, .array, .object, .bigNumber:
            var writer = JSONBWriter()
            writer.append(value)
            self = .element(writer.bytes)
        default: self = .plain(value)
        }
    }

    /// Calls `body` with the value, which is valid for the duration of the call.
    func with<Result>(_ body: (QueryValue) -> Result) -> Result {
        switch self {
        case .plain(let value): body(value)
        case .element(let bytes): unsafe bytes.withUnsafeBufferPointer { body(unsafe QueryValue(whole: $0) ?? .null) }
        }
    }
}
