/// A value of any type of BSON 1.1 (bsonspec.org).
///
/// Two values are equal (`==`) if their types and contents are equal: `.int32(1)` isn't `.int64(1)`. MongoDB's order of
/// values, in which all numbers are one type, is ``BSON/compared(to:)``.
public indirect enum BSON: Sendable, Hashable {
    /// A 64-bit binary floating-point number, type 1. By `==`, NaN is equal to NaN, and 0 isn't equal to -0.
    case double(Double)
    /// A string in UTF-8, type 2.
    case string(String)
    /// A document, type 3.
    case document(MongoDocument)
    /// An array, type 4.
    case array([BSON])
    /// Bytes with a subtype, type 5.
    case binary(Binary)
    /// Undefined, type 6, deprecated; can be read and can't be stored.
    case undefined
    /// An ObjectID, type 7.
    case objectID(ObjectID)
    /// True or false, type 8.
    case bool(Bool)
    /// A point in time, type 9.
    case datetime(DateTime)
    /// Null, type 10.
    case null
    /// A regular expression, type 11.
    case regex(Regex)
    /// A reference to a document of a collection, type 12, deprecated; can be read and can't be stored.
    case dbPointer(DBPointer)
    /// JavaScript code, type 13; never executed.
    case code(String)
    /// A symbol, type 14, deprecated; can be read and can't be stored.
    case symbol(String)
    /// JavaScript code with its variables, type 15; never executed.
    case codeWithScope(String, MongoDocument)
    /// A 32-bit integer, type 16.
    case int32(Int32)
    /// A timestamp, type 17.
    case timestamp(Timestamp)
    /// A 64-bit integer, type 18.
    case int64(Int64)
    /// A decimal number, type 19.
    case decimal128(Decimal128)
    /// The value below all others, type -1.
    case minKey
    /// The value above all others, type 127.
    case maxKey

    /// Returns a Boolean value that says whether two values have the same type and content.
    public static func == (left: BSON, right: BSON) -> Bool {
        switch (left, right) {
        case (.double(let left), .double(let right)):
            left.bitPattern == right.bitPattern || left.isNaN && right.isNaN
        case (.string(let left), .string(let right)), (.code(let left), .code(let right)),
            (.symbol(let left), .symbol(let right)):
            left.utf8.elementsEqual(right.utf8)
        case (.document(let left), .document(let right)): left == right
        case (.array(let left), .array(let right)): left == right
        case (.binary(let left), .binary(let right)): left == right
        case (.objectID(let left), .objectID(let right)): left == right
        case (.bool(let left), .bool(let right)): left == right
        case (.datetime(let left), .datetime(let right)): left == right
        case (.regex(let left), .regex(let right)): left == right
        case (.dbPointer(let left), .dbPointer(let right)): left == right
        case (.codeWithScope(let left, let scope), .codeWithScope(let right, let other)):
            left.utf8.elementsEqual(right.utf8) && scope == other
        case (.int32(let left), .int32(let right)): left == right
        case (.timestamp(let left), .timestamp(let right)): left == right
        case (.int64(let left), .int64(let right)): left == right
        case (.decimal128(let left), .decimal128(let right)): left == right
        case (.null, .null), (.undefined, .undefined), (.minKey, .minKey), (.maxKey, .maxKey): true
        default: false
        }
    }

    /// Feeds the content to a hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(type)
        switch self {
        case .double(let value): hasher.combine(value.isNaN ? Double.nan.bitPattern : value.bitPattern)
        case .string(let text), .code(let text), .symbol(let text): ExactKey.hash(text, into: &hasher)
        case .document(let document): hasher.combine(document)
        case .array(let items): hasher.combine(items)
        case .binary(let binary): hasher.combine(binary)
        case .objectID(let id): hasher.combine(id)
        case .bool(let value): hasher.combine(value)
        case .datetime(let date): hasher.combine(date)
        case .regex(let regex): hasher.combine(regex)
        case .dbPointer(let pointer): hasher.combine(pointer)
        case .codeWithScope(let text, let scope):
            ExactKey.hash(text, into: &hasher)
            hasher.combine(scope)
        case .int32(let value): hasher.combine(value)
        case .timestamp(let timestamp): hasher.combine(timestamp)
        case .int64(let value): hasher.combine(value)
        case .decimal128(let value): hasher.combine(value)
        case .null, .undefined, .minKey, .maxKey: break
        }
    }
}
