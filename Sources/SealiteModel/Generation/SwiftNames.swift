internal import SealiteValues

/// The Swift names of a schema's types and properties.
struct SwiftNames: Sendable {
    /// The Swift names of types by their names in the schema.
    private(set) var types: [String: String] = [:]
    /// The Swift names of properties, by the names of their types and their own names in the schema.
    private(set) var properties: [String: [String: String]] = [:]
    /// The issues of types, or of properties of one type, that would have the same Swift name.
    private(set) var issues: [SchemaIssue] = []

    init(_ schema: Schema) {
        var titles: [String: String] = [:]
        for object in schema.objects {
            let name = Self.typeName(object.name)
            if let other = titles.updateValue(object.name, forKey: name) {
                issues.append(
                    SchemaIssue(
                        .nameClash, title: object.name, path: ["title"], subject: other,
                        "the types '\(other)' and '\(object.name)' would have the same name in Swift, \(name)"))
            }
            types[object.name] = name
        }
        let unusable = Self.unusable.union(types.values)
        for object in schema.objects { properties[object.name] = propertyNames(object, unusable) }
    }

    /// Returns the Swift name of a type of the schema; `Object` is appended to a name that generated code uses for
    /// another type.
    private static func typeName(_ title: String) -> String {
        let name = SwiftName.unquoted(SwiftName.type(title))
        return taken.contains(name) ? name + "Object" : SwiftName.quoted(name)
    }

    private mutating func propertyNames(_ object: ObjectSchema, _ unusable: Set<String>) -> [String: String] {
        var (names, owners) = ([String: String](), [String: String]())
        for property in object.properties {
            let name = Self.propertyName(property.name, object, unusable)
            if let other = owners.updateValue(property.name, forKey: name) {
                issues.append(
                    SchemaIssue(
                        .nameClash, title: object.name, path: ["properties", property.name], subject: other,
                        "the properties '\(other)' and '\(property.name)' would have the same name in Swift, \(name)"))
            }
            names[property.name] = name
        }
        return names
    }

    private static func propertyName(_ name: String, _ object: ObjectSchema, _ unusable: Set<String>) -> String {
        let isKey = name == object.primaryKey
        if isKey, name == "_id" { return "id" }
        let word = SwiftName.unquoted(SwiftName.property(name))
        // `id` is the name of a model's ID, whichever property contains the ID.
        let isTaken = word == "id" && !isKey && !object.isEmbedded
        return isTaken || unusable.contains(word) ? word + "_" : SwiftName.quoted(word)
    }

    /// The names of the types that generated code uses, which generated types can't have.
    private static let taken: Set<String> = [
        "Any", "BSON", "Bool", "Codable", "CodingKey", "CodingKeys", "Date", "Decimal128", "Double", "EmbeddedModel",
        "Foundation", "GeoPoint", "Hashable", "ID", "Int", "Model", "ModelDeclaration", "ObjectID", "Protocol",
        "Reference", "SealiteDatabase", "SealiteModel", "SealiteValues", "Self", "Sendable", "Set", "String", "Swift",
        "Type", "UInt8", "UUID", "Value",
    ]

    /// The names that a stored property can't have: names with another meaning inside a type, and the names of types
    /// that are generated with it.
    private static let unusable = taken.union(["declaration", "hashValue", "init", "self"])
}

extension PropertyType {
    /// Returns the Swift type for the schema type.
    ///
    /// - Parameter name: returns the Swift name of an object type for its name in the schema.
    /// - Returns: the type.
    func swiftType(_ name: (String) -> String) -> String {
        switch self {
        case .bool: "Bool"
        case .int, .long: "Int"
        case .double: "Double"
        case .string: "String"
        case .data: "[UInt8]"
        case .date: "Date"
        case .decimal128: "Decimal128"
        case .objectID: "ObjectID"
        case .uuid: "UUID"
        case .mixed: "Value"
        case .geoPoint: "GeoPoint"
        case .embedded(let type): name(type)
        case .link(let target, _): "Reference<\(name(target))>"
        case .array(let item): "[\(item.swiftType(name))]"
        case .set(let item): "Set<\(item.swiftType(name))>"
        case .dictionary(let item): "[String: \(item.swiftType(name))]"
        }
    }

    /// The schema type as a Swift expression, for a declaration.
    var swiftExpression: String {
        switch self {
        case .embedded(let name): ".embedded(\(SwiftLiteral.text(name)))"
        case .link(let target, let key): ".link(to: \(SwiftLiteral.text(target)), key: \(key.swiftExpression))"
        case .array(let item): ".array(\(item.swiftExpression))"
        case .set(let item): ".set(\(item.swiftExpression))"
        case .dictionary(let item): ".dictionary(\(item.swiftExpression))"
        default: ".\(self)"
        }
    }

    /// A Boolean value that says whether the schema type contains 32-bit integers, which are `Int` in Swift and
    /// therefore can't be derived from the Swift type.
    var hasInt: Bool {
        switch self {
        case .int: true
        case .array(let item), .set(let item), .dictionary(let item), .link(_, let item): item.hasInt
        default: false
        }
    }
}

extension Property {
    /// Returns the Swift type of the property, with a question mark if it is optional and neither mixed nor a list, set
    /// or dictionary.
    ///
    /// - Parameter name: returns the Swift name of an object type for its name in the schema.
    /// - Returns: the type.
    func swiftType(_ name: (String) -> String) -> String {
        let type = type.swiftType(name)
        return isOptional && self.type != .mixed && !self.type.isCollection ? type + "?" : type
    }
}
