extension Schema {
    /// Returns what differs in another schema, type by type in its order, and in each type the properties in their order.
    ///
    /// Types that the other schema lacks are no changes, as in Realm: an application may declare some of a database's types.
    ///
    /// - Parameters:
    ///   - new: the other schema.
    ///   - listsRemovedTypes: whether types that the other schema lacks are listed all the same.
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
    /// Returns what differs in another schema of the same type.
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
    /// Returns what differs in another property of the same name.
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
