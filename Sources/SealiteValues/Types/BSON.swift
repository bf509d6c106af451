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

/// The types of BSON with their numbers.
public enum BSONType: Int, Sendable, Hashable, CaseIterable {
    case double = 1
    case string = 2
    case document = 3
    case array = 4
    case binary = 5
    case undefined = 6
    case objectID = 7
    case bool = 8
    case datetime = 9
    case null = 10
    case regex = 11
    case dbPointer = 12
    case code = 13
    case symbol = 14
    case codeWithScope = 15
    case int32 = 16
    case timestamp = 17
    case int64 = 18
    case decimal128 = 19
    case minKey = -1
    case maxKey = 127
}

extension BSONType {
    /// The type's name in MongoDB's `$type` operator, such as `objectId`.
    public var alias: String {
        switch self {
        case .double: "double"
        case .string: "string"
        case .document: "object"
        case .array: "array"
        case .binary: "binData"
        case .undefined: "undefined"
        case .objectID: "objectId"
        case .bool: "bool"
        case .datetime: "date"
        case .null: "null"
        case .regex: "regex"
        case .dbPointer: "dbPointer"
        case .code: "javascript"
        case .symbol: "symbol"
        case .codeWithScope: "javascriptWithScope"
        case .int32: "int"
        case .timestamp: "timestamp"
        case .int64: "long"
        case .decimal128: "decimal"
        case .minKey: "minKey"
        case .maxKey: "maxKey"
        }
    }

    /// Creates the type with an alias; nil if there is none.
    public init?(alias: String) {
        guard let type = Self.allCases.first(where: { $0.alias == alias }) else { return nil }
        self = type
    }

    /// A Boolean value that says whether values of the type are numbers: double, int32, int64 and decimal128.
    public var isNumber: Bool {
        switch self {
        case .double, .int32, .int64, .decimal128: true
        default: false
        }
    }
}

extension BSON {
    /// The value's type.
    public var type: BSONType {
        switch self {
        case .double: .double
        case .string: .string
        case .document: .document
        case .array: .array
        case .binary: .binary
        case .undefined: .undefined
        case .objectID: .objectID
        case .bool: .bool
        case .datetime: .datetime
        case .null: .null
        case .regex: .regex
        case .dbPointer: .dbPointer
        case .code: .code
        case .symbol: .symbol
        case .codeWithScope: .codeWithScope
        case .int32: .int32
        case .timestamp: .timestamp
        case .int64: .int64
        case .decimal128: .decimal128
        case .minKey: .minKey
        case .maxKey: .maxKey
        }
    }
}

extension BSON: ExpressibleByStringLiteral {
    /// Creates a string.
    public init(stringLiteral value: String) { self = .string(value) }
}

extension BSON: ExpressibleByIntegerLiteral {
    /// Creates an integer of 32 bits if it fits, otherwise of 64 bits.
    public init(integerLiteral value: Int64) { self = BSON(value) }
}

extension BSON: ExpressibleByFloatLiteral {
    /// Creates a double.
    public init(floatLiteral value: Double) { self = .double(value) }
}

extension BSON: ExpressibleByBooleanLiteral {
    /// Creates a Boolean.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension BSON: ExpressibleByNilLiteral {
    /// Creates null.
    public init(nilLiteral: ()) { self = .null }
}

extension BSON: ExpressibleByArrayLiteral {
    /// Creates an array.
    public init(arrayLiteral elements: BSON...) { self = .array(elements) }
}

extension BSON: ExpressibleByDictionaryLiteral {
    /// Creates a document from names and values in their order; if a name occurs again, its last value is at the first
    /// position.
    public init(dictionaryLiteral elements: (String, BSON)...) {
        var document = MongoDocument()
        for (key, value) in elements { document[key] = value }
        self = .document(document)
    }
}

extension BSON {
    /// Creates an integer of 32 bits if it fits, otherwise of 64 bits.
    ///
    /// - Precondition: A signed 64-bit integer can represent the value. For values that may be larger, use
    ///   ``init(exactly:)``.
    public init(_ value: some BinaryInteger) {
        guard let integer = BSON(exactly: value) else {
            preconditionFailure("a BSON integer has at most 64 bits; use BSON(exactly:), or a Decimal128")
        }
        self = integer
    }

    /// Creates an integer of 32 bits if it fits, otherwise of 64 bits; nil if a signed 64-bit integer can't represent
    /// the value.
    public init?(exactly value: some BinaryInteger) {
        if let short = Int32(exactly: value) {
            self = .int32(short)
        } else if let long = Int64(exactly: value) {
            self = .int64(long)
        } else {
            return nil
        }
    }
}

extension BSON {
    /// The text, if the value is a string; otherwise nil.
    package var text: String? { if case .string(let text) = self { text } else { nil } }
    /// The items, if the value is an array; otherwise nil.
    package var items: [BSON]? { if case .array(let items) = self { items } else { nil } }
    /// The members, if the value is a document; otherwise nil.
    package var members: MongoDocument? { if case .document(let document) = self { document } else { nil } }
}

extension BSON? {
    /// The text, if the value is a string; otherwise nil.
    package var text: String? { self?.text }
    /// The items, if the value is an array; otherwise nil.
    package var items: [BSON]? { self?.items }
    /// The members, if the value is a document; otherwise nil.
    package var members: MongoDocument? { self?.members }
}
