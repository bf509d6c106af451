import SealiteJSON

/// A copy of an argument's value, which can be kept after the call.
enum OwnedValue {
    /// A value without bytes.
    case plain(QueryValue)
    /// A value with bytes, as a copied JSONB element.
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
