/// A difference between two schemas.
public enum SchemaChange: Sendable, Hashable {
    /// The new schema has an additional type.
    case addType(String)
    /// The new schema doesn't have a type. Its documents are kept.
    case removeType(String)
    /// Objects of a type have become embedded objects, or are no longer embedded.
    case changeEmbedding(type: String, isEmbedded: Bool)
    /// A type has an additional property.
    case addProperty(type: String, Property)
    /// A type no longer has a property.
    case removeProperty(type: String, Property)
    /// A property with the same name has another type.
    case changeType(type: String, old: Property, new: Property)
    /// A required property has become optional.
    case makeOptional(type: String, Property)
    /// An optional property has become required.
    case makeRequired(type: String, Property)
    /// The primary key has changed, was added or was removed.
    case changePrimaryKey(type: String, old: String?, new: String?)
    /// A property has got an index.
    case addIndex(type: String, property: String)
    /// A property no longer has an index.
    case removeIndex(type: String, property: String)
}

extension SchemaChange: CustomStringConvertible {
    /// The change, with Realm's text.
    public var description: String {
        switch self {
        case .addType(let type): "Class '\(type)' has been added."
        case .removeType(let type): "Class '\(type)' has been removed."
        case .changeEmbedding(let type, true): "Class '\(type)' has been changed from TopLevel to Embedded."
        case .changeEmbedding(let type, false): "Class '\(type)' has been changed from Embedded to TopLevel."
        case .addProperty(let type, let property): "Property '\(type).\(property.name)' has been added."
        case .removeProperty(let type, let property): "Property '\(type).\(property.name)' has been removed."
        case .changeType(let type, let old, let new):
            "Property '\(type).\(new.name)' has been changed from '\(old.typeName)' to '\(new.typeName)'."
        case .makeOptional(let type, let property): "Property '\(type).\(property.name)' has been made optional."
        case .makeRequired(let type, let property): "Property '\(type).\(property.name)' has been made required."
        case .changePrimaryKey(let type, nil, _): "Primary Key for class '\(type)' has been added."
        case .changePrimaryKey(let type, _, nil): "Primary Key for class '\(type)' has been removed."
        case .changePrimaryKey(let type, let old?, let new?):
            "Primary Key for class '\(type)' has changed from '\(old)' to '\(new)'."
        case .addIndex(let type, let property): "Property '\(type).\(property)' has been made indexed."
        case .removeIndex(let type, let property): "Property '\(type).\(property)' has been made unindexed."
        }
    }
}

extension SchemaChange {
    /// A Boolean value that says whether a local database needs a higher version for the change.
    public var needsMigration: Bool {
        switch self {
        case .addType, .removeType, .addIndex, .removeIndex: false
        default: true
        }
    }

    /// A Boolean value that says whether a synced collection accepts the change without a migration.
    public var isAdditive: Bool {
        switch self {
        case .addType, .removeType, .addProperty, .removeProperty, .addIndex, .removeIndex: true
        default: false
        }
    }

    /// A Boolean value that says whether a database with the old schema can be read with the new one without changes.
    public var isReadable: Bool {
        switch self {
        case .addType, .removeType, .removeProperty, .addIndex, .removeIndex: true
        default: false
        }
    }
}
