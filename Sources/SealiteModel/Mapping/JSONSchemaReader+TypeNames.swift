internal import SealiteValues

extension JSONSchemaReader {
    /// The type that a schema's `bsonType` or `type` names.
    enum TypeName {
        /// One type that models have. `allowsNull` is true if null is named too.
        case one(String, allowsNull: Bool)
        /// No type, several types, or a type that models don't have.
        case any
        /// A value of the keyword that is neither the name of a type nor a list of such names.
        case wrong
    }

    /// Reads the type that a schema names in `bsonType` or `type`.
    ///
    /// - Parameters:
    ///   - members: the schema.
    ///   - isNested: true for the schema of the items of a list or set, or of the values of a dictionary.
    /// - Returns: the named type.
    mutating func typeName(_ members: SchemaMembers, isNested: Bool) -> TypeName {
        let keyword = members.bsonType == nil ? "type" : "bsonType"
        switch members.bsonType ?? members.type {
        case nil:
            if members.properties != nil { return .one("object", allowsNull: false) }
            for member in members.constraints where ["allOf", "anyOf", "oneOf"].contains(member.key) {
                issue(
                    .unsupportedKeyword, severity: .warning, at: [member.key], subject: member.key,
                    "models have no alternatives: the value is read as 'mixed', which takes any type")
            }
            return .any
        case .string(let name): return checked(name, keyword, allowsNull: false)
        case .array(let items):
            let names = items.compactMap { if case .string(let name) = $0 { name } else { nil } }
            guard names.count == items.count, !names.isEmpty else { break }
            return singleName(names, keyword, isNested)
        default: break
        }
        issue(
            .invalidKeyword, at: [keyword], subject: keyword,
            "'\(keyword)' must be the name of a type, or a list of names")
        return .wrong
    }

    private mutating func singleName(_ names: [String], _ keyword: String, _ isNested: Bool) -> TypeName {
        let others = names.filter { $0 != "null" }
        let allowsNull = others.count < names.count
        guard let name = others.first else { return checked("null", keyword, allowsNull: true) }
        // A collection can't contain null beside values of its type.
        if others.count == 1, !(allowsNull && isNested) { return checked(name, keyword, allowsNull: allowsNull) }
        if let unknown = others.first(where: { !Self.isKnown($0, keyword) }) {
            return checked(unknown, keyword, allowsNull: false)
        }
        issue(
            .unionType, severity: .warning, at: [keyword],
            "models have no values of several types: the value is read as 'mixed', which takes any type")
        return .any
    }

    private static func isKnown(_ name: String, _ keyword: String) -> Bool {
        keyword == "bsonType"
            ? name == "number" || name == "mixed" || name == "uuid" || BSONType(alias: name) != nil
            : ["object", "array", "string", "boolean", "number", "null"].contains(name)
    }

    /// Returns the type with a name, and records an issue if models don't have this type.
    private mutating func checked(_ name: String, _ keyword: String, allowsNull: Bool) -> TypeName {
        let isModelType =
            keyword == "bsonType"
            ? Self.scalars[name] != nil || name == "array" || name == "object"
            : ["string", "boolean", "array", "object"].contains(name)
        guard !isModelType else { return .one(name, allowsNull: allowsNull) }
        let isKnown = Self.isKnown(name, keyword)
        issue(
            .unsupportedType, severity: isKnown ? .warning : .error, at: [keyword], subject: name,
            isKnown
                ? "models don't have the type '\(name)': the value is read as 'mixed', which takes any type"
                : "there is no type '\(name)'")
        return isKnown ? .any : .wrong
    }

    /// The types of App Services that contain no other types, by their names in `bsonType`.
    static let scalars: [String: PropertyType] = [
        "bool": .bool, "int": .int, "long": .long, "double": .double, "decimal": .decimal128, "string": .string,
        "date": .date, "objectId": .objectID, "uuid": .uuid, "binData": .data, "mixed": .mixed,
    ]
}
