internal import SealiteValues

extension Schema {
    /// This schema with the properties in ``ObjectSchema/removed`` as normal properties: applications no longer declare
    /// them, but peers still have them.
    var withRemoved: Schema {
        Schema(
            objects.map { object in
                var object = object
                object.properties += object.removed.filter { object[$0.name] == nil }
                object.removed = []
                return object
            })
    }

    /// Takes over the constraints and the descriptions of a stored schema, where this schema has none.
    ///
    /// - Parameters:
    ///   - stored: the stored schema.
    ///   - rememberingRemoved: true to record the stored properties that are no longer declared in
    ///     ``ObjectSchema/removed``.
    mutating func adopt(_ stored: Schema, rememberingRemoved: Bool) {
        for index in objects.indices {
            guard let before = stored[objects[index].name] else { continue }
            objects[index].adopt(before, rememberingRemoved: rememberingRemoved)
        }
        guard rememberingRemoved else { return }
        // A removed property may contain objects of a type that is no longer declared.
        let needed = objects.flatMap(\.removed).compactMap(\.type.embeddedName)
        for name in needed where self[name] == nil { add(stored.closure(of: name)) }
    }
}

extension ObjectSchema {
    fileprivate mutating func adopt(_ before: ObjectSchema, rememberingRemoved: Bool) {
        if constraints.isEmpty { constraints = before.constraints }
        if description == nil { description = before.description }
        for index in properties.indices {
            guard let old = before[properties[index].name], old.type.isStoredAs(properties[index].type) else {
                continue
            }
            if properties[index].constraints.isEmpty { properties[index].constraints = old.constraints }
            if properties[index].description == nil { properties[index].description = old.description }
        }
        guard rememberingRemoved else { return }
        let earlier = before.properties + before.removed
        removed = earlier.enumerated().filter { index, property in
            self[property.name] == nil && !earlier[..<index].contains { $0.name == property.name }
        }.map { _, property in
            var property = property
            property.isIndexed = false
            return property
        }
    }
}
