internal import SealiteValues

extension JSONSchemaReader {
    /// Reads a schema of objects with properties.
    ///
    /// - Parameters:
    ///   - name: the name of the object type.
    ///   - members: the schema.
    ///   - description: the type's description.
    ///   - isEmbedded: true if the objects are inside other objects.
    ///   - field: the names of the path from the document to the object, as the paths in App Services' file of
    ///     relationships have them.
    /// - Returns: the object type, and its primary key; nil if it has none.
    mutating func objectType(
        _ name: String, _ members: SchemaMembers, description: String?, isEmbedded: Bool, field: [String] = []
    ) -> (ObjectSchema, key: Property?) {
        var object = ObjectSchema(
            name, properties: [], isEmbedded: isEmbedded, description: description, constraints: members.constraints)
        let extensions = members.extensions ?? SchemaExtensions()
        let keyName = isEmbedded ? nil : Self.keyName(extensions)
        var required = requiredNames(members)
        var names: Set<String> = []
        for member in self.properties(members[.properties], at: "properties") {
            guard names.insert(member.key).inserted else {
                issue(
                    .nameClash, at: ["properties"], subject: member.key, "two properties have the name '\(member.key)'")
                continue
            }
            let role: PropertyRole =
                member.key == keyName ? .primaryKey : required.contains(member.key) ? .required : .optional
            let place = PropertyPosition(owner: name, keyword: ["properties"], field: field + [member.key], role: role)
            guard let property = property(member, place) else { continue }
            object.properties.append(property)
            if !property.hasOptionality, !property.type.isCollection { continue }
            required.remove(member.key)
        }
        let unknown = required.subtracting(names)
        for name in unknown.sorted() {
            issue(
                .requiredUnknownProperty, at: ["required"], subject: name,
                "the required property '\(name)' isn't among the properties")
        }
        let kept = required.subtracting(unknown).subtracting([keyName ?? ""]).sorted()
        if !kept.isEmpty { object.constraints["required"] = .array(kept.map { .string($0) }) }
        object.removed = removed(extensions.removed, of: name)
        keepAdditionalProperties(members, &object.constraints)
        check(object.constraints)
        let key = keyName.flatMap { primaryKey(of: object, $0) }
        object.primaryKey = key?.name
        return (object, key)
    }

    /// Returns the name of the primary key: `_id`, unless the extensions (the member `sealite`) state another name; nil
    /// if they state that there is none.
    private static func keyName(_ extensions: SchemaExtensions) -> String? {
        switch extensions.primaryKey {
        case .string(let name): name
        case .null: nil
        default: "_id"
        }
    }

    private mutating func primaryKey(of object: ObjectSchema, _ name: String) -> Property? {
        guard let property = object[name] else {
            let isDeclared = name != "_id"
            issue(
                .missingID, severity: isDeclared ? .error : .warning, at: ["properties"],
                isDeclared
                    ? "the primary key '\(name)' isn't among the properties"
                    : "no property has the name '_id', so that the type has no primary key")
            return nil
        }
        guard property.type.isKey else {
            issue(
                .badIDType, at: ["properties", name],
                "the primary key must be an objectId, a uuid, a string, an int or a long")
            return nil
        }
        return property
    }

    /// Returns the properties that the schema's member `sealite` records as removed: applications no longer declare
    /// them.
    private mutating func removed(_ document: MongoDocument, of owner: String) -> [Property] {
        var properties: [Property] = []
        for member in document {
            let place = PropertyPosition(
                owner: owner, keyword: [SchemaExtensions.name, "removed"], field: [], role: .removed)
            if let property = property(member, place) { properties.append(property) }
        }
        return properties
    }

    /// Returns the content of a keyword that contains the schemas of properties, such as `properties`; empty if it is
    /// invalid, which is recorded as an issue.
    private mutating func properties(_ value: BSON?, at keyword: String) -> MongoDocument {
        guard let value else { return [:] }
        guard case .document(let properties) = value else {
            invalid(keyword, "'\(keyword)' must be an object of properties")
            return [:]
        }
        return properties
    }

    private mutating func requiredNames(_ members: SchemaMembers) -> Set<String> {
        guard let value = members[.required] else { return [] }
        guard case .array(let items) = value else {
            invalid("required", "'required' must be a list of names")
            return []
        }
        var names: Set<String> = []
        for item in items {
            guard case .string(let name) = item, names.insert(name).inserted else {
                invalid("required", "'required' must be a list of names, each given once")
                return []
            }
        }
        return names
    }

    private mutating func keepAdditionalProperties(_ members: SchemaMembers, _ constraints: inout MongoDocument) {
        switch members[.additionalProperties] {
        case nil, .bool(true): break
        case let value?: constraints["additionalProperties"] = value
        }
    }

    /// Records an issue if no validator can be created from the constraints.
    mutating func check(_ constraints: MongoDocument) {
        guard !constraints.isEmpty else { return }
        do {
            _ = try SchemaConstraints.validator(of: constraints)
        } catch {
            let names = error.path.split(separator: ".").map(String.init)
            issue(.invalidKeyword, at: names, subject: names.first, error.reason)
        }
    }

    /// Records issues for keywords that App Services' dialect of JSON Schema doesn't have, and for invalid extensions
    /// (the member `sealite`).
    mutating func noteUnsupported(_ members: SchemaMembers) {
        if members.extensions == nil {
            let name = SchemaExtensions.name
            invalid(name, "'\(name)' isn't an object, or one of its members has a value of the wrong type")
        }
        for keyword in members.unsupported {
            issue(
                .unsupportedKeyword, severity: keyword == "$ref" ? .error : .warning, at: [keyword], subject: keyword,
                keyword == "$ref" ? "references aren't supported" : "'\(keyword)' isn't supported, and is ignored")
        }
    }
}

extension JSONSchemaReader {
    /// Reads a member of `properties` as a property; returns nil if its schema can't be a property.
    mutating func property(_ member: MongoDocument.Member, _ place: PropertyPosition) -> Property? {
        let depth = path.count
        path += place.keyword + [member.key]
        defer { path.removeLast(path.count - depth) }
        guard case .document(let schema) = member.value else {
            issue(.invalidKeyword, subject: member.key, "the schema of a property must be an object")
            return nil
        }
        let members = SchemaMembers(schema)
        let extensions = members.extensions ?? SchemaExtensions()
        let read = type(
            members, TypePosition(derivedName: "\(place.owner)_\(member.key)", field: place.field, isNested: false),
            role: place.role)
        var property = Property(
            member.key, read.type, isIndexed: extensions.isIndexed, renamedFrom: extensions.renamedFrom,
            description: text(members[.description]), constraints: read.constraints, vectorIndex: extensions.vectorIndex
        )
        property.isOptional = isOptional(property, place.role, extensions, allowsNull: read.allowsNull)
        property.defaultValue = defaultValue(members[.default], of: property)
        check(read.constraints)
        return property
    }

    private mutating func isOptional(
        _ property: Property, _ role: PropertyRole, _ extensions: SchemaExtensions, allowsNull: Bool
    ) -> Bool {
        if case .required = role { noteRequired(property) }
        guard property.hasOptionality else { return !property.type.isCollection }
        return switch role {
        case .primaryKey, .removed: extensions.isOptional
        case .required: allowsNull
        case .optional: true
        }
    }

    /// Records an issue if `required` names a property that can't be required.
    private mutating func noteRequired(_ property: Property) {
        if property.type.isLink {
            issue(.relationshipOnRequired, "a link can't be required, since its target may be missing")
        } else if property.type.isCollection {
            issue(
                .requiredCollection, severity: .warning,
                "lists, sets and dictionaries can't be required: absent ones are empty")
        }
    }

    private mutating func defaultValue(_ value: BSON?, of property: Property) -> BSON? {
        guard let value else { return nil }
        if value == .null, property.isOptional { return nil }
        if let fitting = property.type.fitting(value, { object($0) }) { return fitting }
        issue(.defaultTypeMismatch, at: ["default"], "the default isn't of the property's type")
        return nil
    }
}

/// The position in a JSON Schema of a property that is being read.
struct PropertyPosition {
    /// The name of the object type that has the property.
    let owner: String
    /// The names from the schema of the object type to the JSON object that has the property as a member.
    let keyword: [String]
    /// The names of the path from the document to the property, as the paths in App Services' file of relationships
    /// have them.
    let field: [String]
    let role: PropertyRole
}

/// The role of a property in its object type.
enum PropertyRole {
    case primaryKey, required, optional
    /// A property that applications no longer declare.
    case removed
}
