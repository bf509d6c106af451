/// A difference between two schemas.
public enum SchemaChange: Sendable, Hashable {
    /// The new schema has another type.
    case addType(String)
    /// The new schema lacks a type. Its documents stay.
    case removeType(String)
    /// Objects of a type live inside other objects now, or don't any more.
    case changeEmbedding(type: String, isEmbedded: Bool)
    /// A type has another property.
    case addProperty(type: String, Property)
    /// A type lacks a property.
    case removeProperty(type: String, Property)
    /// A property of the same name has another type.
    case changeType(type: String, old: Property, new: Property)
    /// A property that was required is optional.
    case makeOptional(type: String, Property)
    /// A property that was optional is required.
    case makeRequired(type: String, Property)
    /// Another property is the primary key, or there is one now, or none any more.
    case changePrimaryKey(type: String, old: String?, new: String?)
    /// A property has an index.
    case addIndex(type: String, property: String)
    /// A property has no index any more.
    case removeIndex(type: String, property: String)
}

extension SchemaChange: CustomStringConvertible {
    /// The change in Realm's words.
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

    /// A Boolean value that says whether a synced collection takes the change by itself.
    public var isAdditive: Bool {
        switch self {
        case .addType, .removeType, .addProperty, .removeProperty, .addIndex, .removeIndex: true
        default: false
        }
    }

    /// A Boolean value that says whether a database of the old schema can be read with the new one as it stands.
    public var isReadable: Bool {
        switch self {
        case .addType, .removeType, .removeProperty, .addIndex, .removeIndex: true
        default: false
        }
    }
}
