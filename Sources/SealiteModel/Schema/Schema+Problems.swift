internal import SealiteDatabase

extension Schema {
    /// Returns the problems that make the schema invalid; empty for a valid schema.
    ///
    /// - Parameter isSynced: true to apply the rules of Atlas's sync too: the name of the primary key must then be
    ///   `_id`.
    /// - Returns: sentences that name types and properties.
    public func problems(isSynced: Bool = false) -> [String] {
        var problems: [String] = []
        for (index, object) in objects.enumerated() {
            if objects[..<index].contains(where: { $0.name == object.name }) {
                problems.append("Two types have the name '\(object.name)'.")
            }
            problems += object.problemsOfNames() + object.problemsOfKey() + problemsOfTypes(object)
            problems += problemsOfDefaults(object)
            if isSynced, !object.isEmbedded, let problem = object.problemOfSyncedKey() { problems.append(problem) }
        }
        for object in objects where object.isEmbedded {
            guard let path = cycle(from: object) else { continue }
            problems.append("An object of an embedded type would contain one of its own type: '\(path)'.")
        }
        return problems
    }

    private func problemsOfTypes(_ object: ObjectSchema) -> [String] {
        object.properties.compactMap { property in
            let place = "Property '\(object.name).\(property.name)'"
            switch property.type.innermost {
            case .embedded(let name):
                guard let target = self[name] else {
                    return "\(place) embeds the type '\(name)', which isn't in the schema."
                }
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
        if !isEmbedded, name.count > ObjectSchema.maximumNameLength {
            problems.append(
                "Type '\(name)' has a name of more than \(ObjectSchema.maximumNameLength) characters.")
        }
        var names: Set<String> = []
        for property in properties where !names.insert(property.name).inserted {
            problems.append("Type '\(name)' has two properties with the name '\(property.name)'.")
        }
        var aliases: Set<String> = []
        for property in properties {
            for alias in property.renamedFrom {
                if !aliases.insert(alias).inserted {
                    problems.append("Two properties of type '\(name)' are renamed from '\(alias)'.")
                } else if names.contains(alias) {
                    problems.append(
                        "Property '\(name).\(property.name)' can't be renamed from '\(alias)', which is the name of a property."
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
                    "No index can have property '\(name).\(property.name)', which is of type '\(property.typeName)'.")
            }
            if let problem = property.problemOfVectorIndex(in: name) { problems.append(problem) }
        }
        return problems
    }

    fileprivate func problemsOfKey() -> [String] {
        guard let primaryKey else { return [] }
        if isEmbedded { return ["Type '\(name)' is embedded, and therefore has no primary key."] }
        guard let property = self[primaryKey] else {
            return ["Type '\(name)' lacks the property of its primary key, '\(primaryKey)'."]
        }
        guard property.type.isKey else {
            return [
                "The primary key of type '\(name)' can't be '\(primaryKey)', which is of type '\(property.typeName)'."
            ]
        }
        return []
    }

    fileprivate func problemOfSyncedKey() -> String? {
        guard let primaryKey else {
            return
                "Type '\(name)' is synced, and therefore needs the primary key '_id'."
        }
        guard primaryKey != "_id" else { return nil }
        return
            "Type '\(name)' is synced, and therefore needs the primary key '_id', not '\(primaryKey)'."
    }
}

extension Property {
    fileprivate func problemOfVectorIndex(in type: String) -> String? {
        guard let vectorIndex else { return nil }
        let place = "Property '\(type).\(name)'"
        guard self.type.isVector else {
            return "\(place) can't have a vector index: it is of type '\(typeName)', not a list of numbers."
        }
        guard !isIndexed else { return "\(place) can't have a value index and a vector index." }
        guard vectorIndex.isValid else {
            return "\(place) can't have its vector index, which needs 2 to 4096 dimensions and 1 to 64000 centroids."
        }
        return nil
    }
}

extension PropertyType {
    /// A Boolean value that says whether values of the type may be vectors: lists of numbers, or their float32 as data or
    /// base64.
    fileprivate var isVector: Bool {
        switch self {
        case .array(let items): items == .double || items == .int || items == .long
        case .data, .string, .mixed: true
        default: false
        }
    }

    /// A Boolean value that says whether a property of the type may have an index.
    fileprivate var isIndexable: Bool {
        switch self {
        case .bool, .int, .long, .string, .date, .objectID, .uuid, .mixed: true
        default: false
        }
    }
}
