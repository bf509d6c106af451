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
