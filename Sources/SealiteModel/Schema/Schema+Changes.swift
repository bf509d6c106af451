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
    /// Returns the changes from this property to another one with the same name. `type` is the name of their object
    /// type.
    func changes(to new: Property, in type: String) -> [SchemaChange] {
        guard self.type.isStoredAs(new.type) else { return [.changeType(type: type, old: self, new: new)] }
        var changes: [SchemaChange] = []
        if hasOptionality, isOptional != new.isOptional {
            changes.append(
                new.isOptional ? .makeOptional(type: type, new) : .makeRequired(type: type, new))
        }
        if isIndexed != new.isIndexed {
            changes.append(
                new.isIndexed
                    ? .addIndex(type: type, property: name) : .removeIndex(type: type, property: name))
        }
        return changes
    }
}
