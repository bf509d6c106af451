public import SealiteBase

/// An error of a schema, or one that prevents a database from being opened with a schema.
///
/// Messages name types, properties and versions, never values of documents.
public enum SchemaError: SealiteError, Sendable, Equatable {
    /// The declared types differ from the stored ones in a way that needs a migration: a higher version when a store is
    /// opened, a migration function in `SchemaCatalogue.migrate`; `apply` never migrates. Lists the changes that need
    /// it.
    case migrationRequired([SchemaChange])
    /// The version of the stored types is higher than the configuration's version.
    case versionTooLow(stored: UInt64, given: UInt64)
    /// The database is opened for reading, and the stored version isn't the configuration's version.
    case versionMismatch(stored: UInt64, given: UInt64)
    /// A synced collection's type changed in a way that isn't an addition.
    case additiveOnly([SchemaChange])
    /// The database is opened for reading, and the stored types lack properties of the declared ones, or have
    /// properties that can't be read as declared. Types that aren't stored are no error.
    case readOnlyMismatch([SchemaChange])
    /// A migration function was given although a declared type's collection is synced, or has used a type of a synced
    /// collection.
    case migrationNotAllowed
    /// A setting is invalid or contradicts another one or the database, or a migration function has replaced an object
    /// by another one; the text says which.
    case invalidConfiguration(String)
    /// Some documents lack required properties, given as `Type.property`, that have no declared default.
    case missingDefault([String])
    /// Two documents have the same primary key after a migration.
    case duplicatePrimaryKey(type: String)
    /// A document has no value that can be its ID after a migration.
    case invalidPrimaryKey(type: String)
    /// A schema is invalid; there is one text for each problem.
    case invalidSchema([String])
    /// A rename is impossible; the text says why.
    case rename(String)
    /// The type doesn't have the property, in the state of the object before or after the migration.
    case invalidPropertyName(type: String, name: String)
    /// A value can't be set: it isn't of the property's type, it is null for a required property or the primary key, or
    /// the object is one from before the migration.
    case invalidValue(type: String, name: String)
    /// The type of a member can't be derived.
    case underivable(type: String, member: String, reason: String)
    /// The member of a key path can't be found.
    case unknownKeyPath(type: String, keyPath: String, reason: String)
    /// A type has no schema.
    case unknownType(String)
    /// A type is embedded, but a type with documents of its own is required.
    case embeddedType(String)
    /// A document doesn't conform to the schema; each violation names the property and the keyword.
    case unfit(type: String, violations: [SchemaViolation])
    /// A stored schema can't be read.
    case damagedSchema(title: String, reason: String)
}

extension SchemaError {
    /// The reason, followed by the hint in parentheses if there is one.
    public var description: String {
        hint.map { "\(reason)\(reason.contains("\n") ? "\n" : " ")(\($0))" } ?? reason
    }
    /// The name of the case, in the form that the identifiers of all errors have, such as `migration-required`.
    public var identifier: String { Self.identifier(of: self) }

    /// A sentence for people.
    public var reason: String {
        switch self {
        case .migrationRequired(let changes):
            Self.list("The stored types must be migrated, because of these changes:", changes)
        case .versionTooLow(let stored, let given):
            "The database has the schema version \(stored), which is above the given one, \(given)."
        case .versionMismatch(let stored, let given):
            "The database has the schema version \(stored), not the given one, \(given), and is only read."
        case .additiveOnly(let changes):
            Self.list("To the types of synced collections only something can be added, unlike these changes:", changes)
        case .readOnlyMismatch(let changes):
            Self.list("The stored objects can't be read as declared, because of these changes:", changes)
        case .migrationNotAllowed:
            "A migration function cannot be given if a declared type's collection is synced, and cannot change a type of a synced collection: leave out the function, or its use of that type; the schema version of such types is ignored."
        case .invalidConfiguration(let reason): reason
        case .missingDefault(let properties):
            "Some documents lack values that are required and have no default:" + Self.lines(properties)
        case .duplicatePrimaryKey(let type):
            "Two objects of type '\(type)' would have the same primary key after the migration."
        case .invalidPrimaryKey(let type):
            "An object of type '\(type)' has no value that can be its primary key after the migration."
        case .invalidSchema(let problems):
            "The schema has these problems:" + Self.lines(problems)
        case .rename(let reason): reason
        case .invalidPropertyName(let type, let name): "The type '\(type)' has no property '\(name)'."
        case .invalidValue(let type, let name):
            "The value for '\(type).\(name)' cannot be set: it isn't of the property's type, it is null for a required property or the primary key, or the object is one from before the migration."
        case .underivable(let type, let member, let reason):
            "The type of '\([type, member].filter { !$0.isEmpty }.joined(separator: "."))' cannot be derived: \(reason)"
        case .unknownKeyPath(let type, let keyPath, let reason):
            "The member of '\(keyPath)' in '\(type)' cannot be found: \(reason); name it in the type's declaration, ModelDeclaration(keyPaths: [\"the member's name\": \(keyPath)])"
        case .unknownType(let name): "There is no schema for type '\(name)'."
        case .embeddedType(let name): "The type '\(name)' is an embedded type, so no documents have it."
        case .unfit(let type, let violations):
            "An object does not fit the schema of type '\(type)':" + Self.lines(violations.map(\.description))
        case .damagedSchema(let title, let reason): "The stored schema of type '\(title)' cannot be read: \(reason)"
        }
    }

    private static func list(_ title: String, _ changes: [SchemaChange]) -> String {
        title + lines(changes.map(\.description))
    }

    private static func lines(_ texts: [String]) -> String { texts.map { "\n- " + $0 }.joined() }
}

// The next step after an error that prevents a database from being opened with a schema.
extension SchemaError {
    /// The next step for the application's developer; nil if none is known.
    public var hint: String? {
        switch self {
        case .migrationRequired(let changes): Self.migrating(changes)
        case .versionTooLow(let stored, _): "raise `version` of ModelConfiguration to \(stored) or more"
        case .versionMismatch(let stored, let given) where given > stored:
            "open the database for reading and writing first, which migrates it to version \(given)"
        case .versionMismatch(let stored, _): "raise `version` of ModelConfiguration to \(stored)"
        case .additiveOnly:
            "keep these members as they were, since other devices have the former type; declare a changed one under another name"
        case .readOnlyMismatch: "open the database for reading and writing first, which migrates it"
        case .missingDefault:
            "declare a default for each, as in .property(\"age\", default: 0), or set the values in a migration function"
        default: nil
        }
    }

    /// Returns the step after changes that need a migration: a higher version, defaults for properties that become
    /// required or are added as such, and a function for what neither a default nor an earlier name can supply.
    private static func migrating(_ changes: [SchemaChange]) -> String {
        var steps = ["raise `version` of ModelConfiguration"]
        let required = changes.lazy.compactMap(\.newlyRequired).first
        if let required {
            steps.append(
                "declare the default that documents without the property get, as in"
                    + " .property(\"\(required.name)\", default: \(required.type.exampleOfDefault))")
        }
        if changes.contains(where: \.mayNeedFunction) {
            steps.append(
                "keep a renamed property's values with renamedFrom:, and convert other values in a migration function")
        }
        return steps.joined(separator: "; ")
    }
}

extension SchemaChange {
    /// The property that documents must have after the change, although they may lack it before, and that has no
    /// declared default; nil if there is none. An added one gets the empty value of its type, if that has one.
    fileprivate var newlyRequired: Property? {
        switch self {
        case .addProperty(_, let property), .makeRequired(_, let property):
            property.isRequired && property.defaultValue == nil ? property : nil
        default: nil
        }
    }

    /// A Boolean value that says whether values may be lost or unreadable without a migration function.
    fileprivate var mayNeedFunction: Bool {
        switch self {
        case .removeProperty, .changeType, .changePrimaryKey, .changeEmbedding: true
        default: false
        }
    }
}

extension PropertyType {
    /// A default of the type, as Swift's source text.
    fileprivate var exampleOfDefault: String {
        switch self {
        case .bool: "false"
        case .int, .long: "0"
        case .double: "0.0"
        case .string: "\"\""
        default: "…"
        }
    }
}

/// A violation of the schema by a document. It names the property and the requirement of the schema, never the value.
public struct SchemaViolation: Sendable, Hashable {
    /// The names and indices from the document to the value, separated by dots; empty for the whole document.
    public let path: String
    /// The violated keyword of JSON Schema.
    public let keyword: String
    /// The required type, if the keyword is `bsonType`; otherwise nil.
    public let expected: String?
    /// A Boolean value that says whether the value is of the required type, but stored as text: a date in ISO 8601,
    /// bytes in Base64 or a UUID.
    public let isText: Bool

    init(path: String, keyword: String, expected: String? = nil, isText: Bool = false) {
        (self.path, self.keyword, self.expected, self.isText) = (path, keyword, expected, isText)
    }
}

extension SchemaViolation: CustomStringConvertible {
    /// The violation as text, such as `'age' isn't of type int (bsonType)`.
    public var description: String {
        let place = path.isEmpty ? "the document" : "'\(path)'"
        if isText, let expected { return "\(place) is of type \(expected), but stored as text (\(keyword))" }
        if let expected { return "\(place) isn't of type \(expected) (\(keyword))" }
        return keyword == "required" ? "\(place) is missing (required)" : "\(place) doesn't fulfil \(keyword)"
    }
}
