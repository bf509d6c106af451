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
