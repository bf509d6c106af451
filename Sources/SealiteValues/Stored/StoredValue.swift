public import SealiteBase
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

/// A number of a stored body with its BSON type.
package struct StoredNumber {
    /// The number.
    let value: NumericValue
    /// The type: int32, int64, double or decimal128.
    package let type: BSONType

    /// A Boolean value that says whether the number is NaN.
    var isNotANumber: Bool {
        switch value {
        case .integer: false
        case .double(let number): number.isNaN
        case .decimal(let number): number.isNaN
        }
    }

    init(_ value: NumericValue, type: BSONType? = nil) {
        self.value = value
        self.type = type ?? BSON(value).type
    }
}

extension JSONBElement {
    /// Returns the value that this object represents if it is the wrapper of an ObjectID or a time in the form that
    /// Sealite writes, without decoding its members one by one; otherwise nil.
    package func frequentWrapper(in bytes: borrowing Span<UInt8>) -> BSON? {
        // Names of three or four letters after `$`, 24 bytes of text, two headers.
        guard (31...32).contains(end - start), let member = ObjectMember(bytes, at: start, limit: end),
            member.value.end == end, member.value.isString, member.value.end - member.value.start == 24
        else { return nil }
        if member.name.isName("$oid", in: bytes) { return member.value.objectID(in: bytes).map { .objectID($0) } }
        guard member.name.isName("$date", in: bytes) else { return nil }
        return DateTime(iso: bytes.extracting(member.value.start..<member.value.end)).map { .datetime($0) }
    }

    /// Returns the ObjectID of this string, which must have 24 bytes; nil if they aren't all hexadecimal digits.
    private func objectID(in bytes: borrowing Span<UInt8>) -> ObjectID? {
        var (high, low): (UInt64, UInt32) = (0, 0)
        for index in 0..<24 {
            guard let digit = Hexadecimal.value(bytes[start + index]) else { return nil }
            if index < 16 { high = high << 4 | UInt64(digit) } else { low = low << 4 | UInt32(digit) }
        }
        return ObjectID(high: high, low: low)
    }
}

/// The error for a value that can't be stored in a document's body. It may have the value's path (names and indices
/// joined by dots) and type, never its content.
public enum StoredValueError: SealiteError, Sendable, Equatable {
    /// A deprecated type, which can be read and can't be stored: undefined, dbPointer or symbol.
    case refusedType(BSONType, path: String)
    /// A document that would be read as a wrapper of another type, because of a member such as `$oid` with 24 digits.
    case looksLikeWrapper(path: String)
    /// A document that contains a name twice; `path` ends with this name.
    case duplicateName(path: String)
    /// Documents and arrays nested deeper than 500 levels.
    case tooDeep

    /// The same as ``description``.
    public var reason: String { description }
    /// The case's name as lowercase words with hyphens, such as `too-deep`.
    public var identifier: String { Self.identifier(of: self) }
    /// A sentence about the failure, with the path and the type, never with the content.
    public var description: String {
        switch self {
        case .refusedType(let type, let path): "'\(path)' has the type \(type.alias), which can't be stored"
        case .looksLikeWrapper(let path):
            "the document at '\(path)' would be read back as a value of another type, because of a member such as $oid"
        case .duplicateName(let path): "two members of a document have the same path '\(path)'"
        case .tooDeep: "documents and arrays are nested deeper than 500 levels"
        }
    }
}
