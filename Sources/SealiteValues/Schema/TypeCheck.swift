/// The keywords `type` and `bsonType` of JSON Schema.
struct TypeCheck: SchemaCheck {
    let keyword: String
    let types: Set<BSONType>
    /// A Boolean value that says whether a number without a fraction satisfies the check whatever its numeric type is,
    /// as with draft 4's `integer`.
    let takesIntegers: Bool

    func isFulfilled(by value: BSON) -> Bool {
        if types.contains(value.type) { return true }
        guard takesIntegers, let number = NumericValue(value), case .integer = number.canonical else { return false }
        return true
    }

    static func jsonType(
        _ parser: SchemaParser, _ keyword: SchemaKeyword
    ) throws(JSONSchemaError) -> (any SchemaCheck)? {
        let names = try names(parser, keyword)
        var types: Set<BSONType> = []
        for name in names where name != "integer" || parser.dialect == .mongo {
            guard let group = jsonTypes[name] else {
                let isInteger = name == "integer"
                throw parser.error(
                    isInteger ? .failedToParse : .badValue,
                    isInteger
                        ? "the type 'integer' isn't supported; use 'bsonType' with 'int' or 'long'"
                        : "there is no type of this name")
            }
            types.formUnion(group)
        }
        let takesIntegers = parser.dialect == .draft4 && names.contains("integer")
        return TypeCheck(keyword: keyword.name, types: types, takesIntegers: takesIntegers)
    }

    static func bsonType(
        _ parser: SchemaParser, _ keyword: SchemaKeyword
    ) throws(JSONSchemaError) -> (any SchemaCheck)? {
        var types: Set<BSONType> = []
        for name in try names(parser, keyword) {
            if name == "number" {
                types.formUnion(numbers)
            } else if let type = BSONType(alias: name) {
                types.formUnion(parser.dialect == .draft4 ? type.withIntegersOfJSON : [type])
            } else {
                throw parser.error(.badValue, "there is no type of this name")
            }
        }
        return TypeCheck(keyword: keyword.name, types: types, takesIntegers: false)
    }

    private static let numbers: Set<BSONType> = [.int32, .int64, .double, .decimal128]

    private static let jsonTypes: [String: Set<BSONType>] = [
        "object": [.document], "array": [.array], "number": numbers, "boolean": [.bool], "string": [.string],
        "null": [.null],
    ]

    private static func names(_ parser: SchemaParser, _ keyword: SchemaKeyword) throws(JSONSchemaError) -> [String] {
        if case .string(let name) = keyword.value { return [name] }
        return try parser.names(keyword.value)
    }
}

extension BSONType {
    /// The type together with the types that JSON can't distinguish from it: JSON doesn't record the width of an
    /// integer, and other programs write 3.0 as 3.
    fileprivate var withIntegersOfJSON: Set<BSONType> {
        switch self {
        case .int64: [.int64, .int32]
        case .double: [.double, .int64, .int32]
        default: [self]
        }
    }
}

/// The keyword `encrypt` of MongoDB's JSON Schema: a binary value must have subtype 6, that of encrypted values; other
/// values are valid. Also parses `encryptMetadata`, which has no effect on values.
struct EncryptCheck: SchemaCheck {
    let keyword = "encrypt"

    init(_ parser: SchemaParser, _ keyword: SchemaKeyword) throws(JSONSchemaError) {
        try Self.checkMembers(parser, keyword, ["keyId", "algorithm", "bsonType"])
        guard keyword.siblings["type"] == nil, keyword.siblings["bsonType"] == nil else {
            throw parser.error(.failedToParse, "'type' and 'bsonType' can't be combined with 'encrypt'")
        }
    }

    static func metadata(
        _ parser: SchemaParser, _ keyword: SchemaKeyword
    ) throws(JSONSchemaError) -> (any SchemaCheck)? {
        guard try !parser.document(keyword.value).isEmpty else {
            throw parser.error(.failedToParse, "expected at least one member")
        }
        try checkMembers(parser, keyword, ["keyId", "algorithm"])
        return nil
    }

    private static func checkMembers(
        _ parser: SchemaParser, _ keyword: SchemaKeyword, _ names: Set<String>
    ) throws(JSONSchemaError) {
        for member in try parser.document(keyword.value) {
            let below = parser.below(member.key)
            guard names.contains(member.key) else {
                throw below.error(.failedToParse, "'\(keyword.name)' has no member of this name")
            }
            switch member.key {
            case "keyId": _ = try below.array(member.value)
            case "algorithm": _ = try below.string(member.value)
            default:
                _ = try TypeCheck.bsonType(below, SchemaKeyword(name: member.key, value: member.value, siblings: [:]))
            }
        }
    }

    func isFulfilled(by value: BSON) -> Bool {
        guard case .binary(let binary) = value else { return true }
        return binary.subtype == 6
    }
}
