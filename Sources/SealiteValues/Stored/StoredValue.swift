package import SealiteJSON

/// The value of a stored element, decoded only as far as comparisons require it.
package enum StoredValue {
    /// Null.
    case null
    /// True or false.
    case bool(Bool)
    /// A number, stored as a plain number or as a wrapper such as `{"$numberDecimal": "…"}`.
    case number(StoredNumber)
    /// A string, which isn't decoded.
    case string
    /// An object that isn't a wrapper: a document, which isn't decoded.
    case document
    /// An array, which isn't decoded.
    case array
    /// A value of another type, decoded from its wrapper, an object such as `{"$oid": "…"}`.
    case wrapped(BSON)
    /// Bytes that aren't valid in a stored body.
    case damaged

    /// Creates the value of an element. Objects are decoded only if their first name starts with `$`.
    package init(_ element: JSONBElement, in bytes: borrowing Span<UInt8>) {
        switch element.type {
        case JSONBType.null: self = .null
        case JSONBType.true: self = .bool(true)
        case JSONBType.false: self = .bool(false)
        case JSONBType.integer, JSONBType.float:
            self = NumericValue(element, in: bytes).map { .number(StoredNumber($0)) } ?? .damaged
        case JSONBType.text, JSONBType.rawText: self = .string
        case JSONBType.array: self = .array
        case JSONBType.object: self = Self.wrapped(in: element, bytes) ?? .document
        default: self = .damaged
        }
    }

    private static func wrapped(in object: JSONBElement, _ bytes: borrowing Span<UInt8>) -> StoredValue? {
        if let value = object.frequentWrapper(in: bytes) { return .wrapped(value) }
        guard object.mayBeWrapper(in: bytes), let document = MongoDocument(stored: object, in: bytes),
            let value = Wrapper.value(of: document)
        else {
            return nil
        }
        return NumericValue(value).map { .number(StoredNumber($0, type: value.type)) } ?? .wrapped(value)
    }

    /// The BSON type of the value; nil for damaged bytes.
    package var type: BSONType? {
        switch self {
        case .null: .null
        case .bool: .bool
        case .number(let number): number.type
        case .string: .string
        case .document: .document
        case .array: .array
        case .wrapped(let value): value.type
        case .damaged: nil
        }
    }
}
