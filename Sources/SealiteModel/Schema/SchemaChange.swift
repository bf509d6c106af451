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
    /// The change, as a sentence.
    public var description: String {
        switch self {
        case .addType(let type): "Type '\(type)' is new."
        case .removeType(let type): "Type '\(type)' is no longer declared."
        case .changeEmbedding(let type, true): "Type '\(type)' is now embedded."
        case .changeEmbedding(let type, false): "Type '\(type)' is no longer embedded."
        case .addProperty(let type, let property): "Property '\(type).\(property.name)' is new."
        case .removeProperty(let type, let property): "Property '\(type).\(property.name)' is no longer declared."
        case .changeType(let type, let old, let new):
            "Property '\(type).\(new.name)' was of type '\(old.typeName)' and is now of type '\(new.typeName)'."
        case .makeOptional(let type, let property): "Property '\(type).\(property.name)' is no longer required."
        case .makeRequired(let type, let property): "Property '\(type).\(property.name)' is now required."
        case .changePrimaryKey(let type, nil, _): "Type '\(type)' now has a primary key."
        case .changePrimaryKey(let type, _, nil): "Type '\(type)' no longer has a primary key."
        case .changePrimaryKey(let type, let old?, let new?):
            "The primary key of type '\(type)' was '\(old)' and is now '\(new)'."
        case .addIndex(let type, let property): "Property '\(type).\(property)' now has an index."
        case .removeIndex(let type, let property): "Property '\(type).\(property)' no longer has an index."
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

extension Schema {
    /// Returns the changes from this schema to another one, type by type in the order of the other schema, and within
    /// each type property by property.
    ///
    /// Types that `new` doesn't have aren't changes, as in Realm: an application may declare only some of a database's
    /// types.
    ///
    /// - Parameters:
    ///   - new: the schema to compare with.
    ///   - listsRemovedTypes: true to list types that `new` doesn't have, too.
    /// - Returns: the changes.
    public func changes(to new: Schema, listsRemovedTypes: Bool = false) -> [SchemaChange] {
        var changes: [SchemaChange] = []
        for object in new.objects {
            if let old = self[object.name] {
                changes += old.changes(to: object)
            } else {
                changes.append(.addType(object.name))
            }
        }
        if listsRemovedTypes {
            changes += objects.filter { new[$0.name] == nil }.map { .removeType($0.name) }
        }
        return changes
    }
}

extension ObjectSchema {
    /// Returns the changes from this schema of a type to another schema of the type.
    func changes(to new: ObjectSchema) -> [SchemaChange] {
        var changes: [SchemaChange] = []
        if isEmbedded != new.isEmbedded {
            changes.append(.changeEmbedding(type: name, isEmbedded: new.isEmbedded))
        }
        for property in properties {
            if let other = new[property.name] {
                changes += property.changes(to: other, in: name)
            } else {
                changes.append(.removeProperty(type: name, property))
            }
        }
        if primaryKey != new.primaryKey {
            changes.append(.changePrimaryKey(type: name, old: primaryKey, new: new.primaryKey))
        }
        for property in new.properties where self[property.name] == nil {
            changes.append(.addProperty(type: name, property))
        }
        return changes
    }
}

extension Property {
    /// Returns whether another property with the same name has another index, or none.
    func hasOtherIndex(than new: Property) -> Bool { isIndexed != new.isIndexed || vectorIndex != new.vectorIndex }

    /// Returns the changes from this property to another one with the same name. `type` is the name of their object
    /// type.
    func changes(to new: Property, in type: String) -> [SchemaChange] {
        guard self.type.isStoredAs(new.type) else { return [.changeType(type: type, old: self, new: new)] }
        var changes: [SchemaChange] = []
        if hasOptionality, isOptional != new.isOptional {
            changes.append(
                new.isOptional ? .makeOptional(type: type, new) : .makeRequired(type: type, new))
        }
        if hasOtherIndex(than: new) {
            changes.append(
                new.isIndexed || new.vectorIndex != nil
                    ? .addIndex(type: type, property: name) : .removeIndex(type: type, property: name))
        }
        return changes
    }
}
