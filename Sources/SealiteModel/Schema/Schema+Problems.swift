internal import SealiteDatabase

extension Schema {
    /// Returns the problems that make the schema invalid, with Realm's text if Realm has the same rule; empty for a
    /// valid schema.
    ///
    /// - Parameter isSynced: true to apply the rules of Atlas's sync too: the name of the primary key must then be
    ///   `_id`.
    /// - Returns: sentences that name types and properties.
    public func problems(isSynced: Bool = false) -> [String] {
        var problems: [String] = []
        for (index, object) in objects.enumerated() {
            if objects[..<index].contains(where: { $0.name == object.name }) {
                problems.append("Type '\(object.name)' appears more than once in the schema.")
            }
            problems += object.problemsOfNames() + object.problemsOfKey() + problemsOfTypes(object)
            problems += problemsOfDefaults(object)
            if isSynced, !object.isEmbedded, let problem = object.problemOfSyncedKey() { problems.append(problem) }
        }
        for object in objects where object.isEmbedded {
            guard let path = cycle(from: object) else { continue }
            problems.append("Cycles containing embedded objects are not currently supported: '\(path)'")
        }
        return problems
    }

    private func problemsOfTypes(_ object: ObjectSchema) -> [String] {
        object.properties.compactMap { property in
            let place = "Property '\(object.name).\(property.name)'"
            switch property.type.innermost {
            case .embedded(let name):
                guard let target = self[name] else { return "\(place) has unknown object type '\(name)'" }
                return target.isEmbedded ? nil : "\(place) embeds the type '\(name)', which isn't an embedded one."
            case .link(let name, _):
                return self[name]?.isEmbedded ?? false
                    ? "\(place) links to the type '\(name)', which is an embedded one." : nil
            default: return nil
            }
        }
    }

    private func problemsOfDefaults(_ object: ObjectSchema) -> [String] {
        object.properties.compactMap { property in
            guard let value = property.defaultValue, property.type.fitting(value, { self[$0] }) == nil else {
                return nil
            }
            return "Property '\(object.name).\(property.name)' has a default that isn't of type '\(property.typeName)'."
        }
    }

    /// Returns the path from an embedded type through properties back to the type, such as `Node.left.parent`; nil if
    /// there is none.
    private func cycle(from start: ObjectSchema) -> String? {
        var waiting = [(object: start, path: start.name)]
        var seen: Set<String> = [start.name]
        while !waiting.isEmpty {
            let next = waiting.removeFirst()
            for property in next.object.properties {
                guard let name = property.type.embeddedName else { continue }
                let path = "\(next.path).\(property.name)"
                if name == start.name { return path }
                guard seen.insert(name).inserted, let object = self[name], object.isEmbedded else { continue }
                waiting.append((object, path))
            }
        }
        return nil
    }
}

extension ObjectSchema {
    fileprivate func problemsOfNames() -> [String] {
        var problems: [String] = []
        if !isEmbedded, name.count > JSONSchemaReader.maximumTitleLength {
            problems.append(
                "Type '\(name)' has a name of more than \(JSONSchemaReader.maximumTitleLength) characters.")
        }
        var names: Set<String> = []
        for property in properties where !names.insert(property.name).inserted {
            problems.append("Property '\(property.name)' appears more than once in the schema for type '\(name)'.")
        }
        var aliases: Set<String> = []
        for property in properties {
            for alias in property.renamedFrom {
                if !aliases.insert(alias).inserted {
                    problems.append("Alias '\(alias)' appears more than once in the schema for type '\(name)'.")
                } else if names.contains(alias) {
                    problems.append(
                        "Property '\(name).\(property.name)' has an alias '\(alias)' that conflicts with a property of the same name."
                    )
                }
            }
            // The comparison of schemas handles a property `_id` that isn't the primary key.
            if !isEmbedded, property.name != primaryKey, property.name != "_id",
                Collection.isReserved(property.name)
            {
                problems.append("Property '\(name).\(property.name)' has a name that is reserved in documents.")
            }
            if property.isIndexed, !property.type.isIndexable {
                problems.append(
                    "Property '\(name).\(property.name)' of type '\(property.typeName)' cannot be indexed.")
            }
        }
        return problems
    }

    fileprivate func problemsOfKey() -> [String] {
        guard let primaryKey else { return [] }
        if isEmbedded { return ["Embedded object type '\(name)' cannot have a primary key."] }
        guard let property = self[primaryKey] else {
            return ["Specified primary key '\(name).\(primaryKey)' does not exist."]
        }
        guard property.type.isKey else {
            return ["Property '\(name).\(primaryKey)' of type '\(property.typeName)' cannot be made the primary key."]
        }
        return []
    }

    fileprivate func problemOfSyncedKey() -> String? {
        guard let primaryKey else {
            return
                "There must be a primary key property named '_id' on a synchronized Realm but none was found for type '\(name)'"
        }
        guard primaryKey != "_id" else { return nil }
        return
            "The primary key property on a synchronized Realm must be named '_id' but found '\(primaryKey)' for type '\(name)'"
    }
}

extension PropertyType {
    /// A Boolean value that says whether a property of the type may have an index.
    fileprivate var isIndexable: Bool {
        switch self {
        case .bool, .int, .long, .string, .date, .objectID, .uuid, .mixed: true
        default: false
        }
    }
}
