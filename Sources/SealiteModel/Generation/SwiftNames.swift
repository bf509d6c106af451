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

/// Creates Swift names from the names in schemas.
public enum SwiftName {
    /// Returns the name of a type for a title: characters that identifiers can't contain are dropped, and the letter
    /// after them becomes upper-case, as does the first letter if any character was dropped. A reserved word is in
    /// backticks, and `_` precedes a digit at the start. If nothing is left, the name is `Unnamed`.
    public static func type(_ title: String) -> String { quoted(words(title, startsUpper: true) ?? "Unnamed") }

    /// Returns the name of a property for a member's name, in camel case if characters were dropped. A reserved word is
    /// in backticks, and `_` precedes a digit at the start. If nothing is left, the name is `unnamed`.
    public static func property(_ name: String) -> String { quoted(words(name, startsUpper: false) ?? "unnamed") }

    /// Returns a name, in backticks if it is a reserved word.
    static func quoted(_ name: String) -> String { reserved.contains(name) ? "`\(name)`" : name }

    /// Returns a name as the label of an argument. `inout` is the only reserved word that needs backticks there; the
    /// compiler warns about backticks around the others.
    static func label(_ name: String) -> String {
        let word = unquoted(name)
        return word == "inout" ? "`\(word)`" : word
    }

    /// Returns a name without backticks.
    static func unquoted(_ name: String) -> String { name.filter { $0 != "`" } }

    /// Returns the words of a name, joined as an identifier; nil if the name contains no character that identifiers can
    /// contain.
    private static func words(_ name: String, startsUpper: Bool) -> String? {
        var parts: [String] = [""]
        for scalar in name.unicodeScalars {
            if isPart(scalar) {
                parts[parts.count - 1].unicodeScalars.append(scalar)
            } else if parts.last != "" {
                parts.append("")
            }
        }
        let isWhole = name.unicodeScalars.allSatisfy(isPart)
        let words = parts.filter { !$0.isEmpty }
        guard let first = words.first else { return nil }
        var result = isWhole || !startsUpper ? first : upper(first)
        for word in words.dropFirst() { result += upper(word) }
        guard result.contains(where: { $0 != "_" }) || result.count > 1 else { return nil }
        if let head = result.unicodeScalars.first, !isHead(head) { result = "_" + result }
        return result
    }

    private static func upper(_ word: String) -> String {
        guard let first = word.first else { return word }
        // In some scripts, the upper-case form of a letter consists of several letters, some of which identifiers can't
        // contain.
        let letter = String(first).uppercased()
        return (letter.unicodeScalars.allSatisfy(isPart) ? letter : String(first)) + word.dropFirst()
    }

    // MARK: - Characters

    /// Returns whether an identifier may contain a scalar: letters, their marks and digits in the planes that Swift
    /// accepts. Invisible scalars, and those that change the direction of writing, aren't accepted.
    private static func isPart(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar == "_" || scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) }
        guard scalar.value <= 0xFFFF, !scalar.properties.isDefaultIgnorableCodePoint else { return false }
        return switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .letterNumber,
            .decimalNumber, .nonspacingMark, .spacingMark:
            // Swift's identifiers can't contain these letters and marks.
            scalar.value != 0x2E2F && !(0x302A...0x302F).contains(scalar.value)
        default: false
        }
    }

    /// Returns whether an identifier may start with a scalar.
    private static func isHead(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return !("0"..."9").contains(scalar) }
        return switch scalar.properties.generalCategory {
        case .decimalNumber, .nonspacingMark, .spacingMark, .letterNumber: false
        default: true
        }
    }

    // MARK: - Words

    /// The reserved words that can be names only in backticks.
    private static let reserved: Set<String> = [
        "Any", "Protocol", "Self", "Type", "as", "associatedtype", "await", "break", "case", "catch", "class",
        "continue", "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false",
        "fileprivate", "for", "func", "guard", "if", "import", "in", "init", "inout", "internal", "is", "let", "nil",
        "operator", "precedencegroup", "private", "protocol", "public", "repeat", "rethrows", "return", "self",
        "static", "struct", "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias", "var",
        "where", "while",
    ]
}
