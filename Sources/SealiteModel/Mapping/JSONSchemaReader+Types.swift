internal import SealiteValues

extension JSONSchemaReader {
    /// Reads the type of a property, of the items of a list or set, or of the values of a dictionary.
    mutating func type(_ members: SchemaMembers, _ place: TypePosition, role: PropertyRole) -> ReadType {
        noteUnsupported(members)
        guard depth < Self.maximumDepth else {
            issue(.tooDeep, "schemas are nested deeper than \(Self.maximumDepth) levels")
            return ReadType(type: .mixed)
        }
        depth += 1
        defer { depth -= 1 }
        guard members[.type] == nil || members[.bsonType] == nil else {
            issue(.typeAndBSONType, "'type' and 'bsonType' can't be given together")
            return ReadType(type: .mixed)
        }
        switch typeName(members, isNested: place.isNested) {
        case .one(let name, let allowsNull):
            var read = type(name, members, place, role)
            read.allowsNull = allowsNull
            return read
        case .any: return untyped(members)
        case .wrong: return ReadType(type: .mixed)
        }
    }

    // MARK: - Types

    /// Reads a schema whose type models don't have. All its keywords are kept for validation.
    private mutating func untyped(_ members: SchemaMembers) -> ReadType {
        var constraints = MongoDocument()
        let keywords: [SchemaMembers.Keyword] = [
            .bsonType, .type, .properties, .required, .items, .uniqueItems, .additionalProperties,
        ]
        for keyword in keywords {
            if let value = members[keyword] { constraints.append(keyword.rawValue, value) }
        }
        for member in members.constraints { constraints.append(member.key, member.value) }
        return ReadType(type: .mixed, constraints: constraints)
    }

    private mutating func type(
        _ name: String, _ members: SchemaMembers, _ place: TypePosition, _ role: PropertyRole
    ) -> ReadType {
        switch name {
        case "array": return list(members, place, role)
        case "object": return object(members, place, role)
        default:
            let type = members[.bsonType] == nil && name == "boolean" ? .bool : Self.scalars[name] ?? .mixed
            let target = relationships.take(place.field, isList: false)
            let linked = link(type, target, members.extensions?.link, role)
            guard type == .mixed else { return ReadType(type: linked, constraints: members.constraints) }
            // Keywords about members and items also constrain a value of any type.
            var constraints = untyped(members).constraints
            (constraints["bsonType"], constraints["type"]) = (nil, nil)
            return ReadType(type: linked, constraints: constraints)
        }
    }

    private mutating func list(_ members: SchemaMembers, _ place: TypePosition, _ role: PropertyRole) -> ReadType {
        var constraints = members.constraints
        var item = ReadType(type: .mixed)
        let target = relationships.take(place.field, isList: true)
        switch members[.items] {
        case .document(let schema): item = nested(schema, "items", place, role)
        case .array: constraints["items"] = members[.items]
        case nil: break
        default:
            invalid("items", "'items' must be a schema or a list of schemas")
        }
        if let target { item.type = link(item.type, target, nil, role) }
        if !item.constraints.isEmpty { constraints["items"] = .document(item.constraints) }
        switch members[.uniqueItems] {
        case .bool(true): return ReadType(type: .set(item.type), constraints: constraints)
        case nil, .bool(false): break
        default:
            invalid("uniqueItems", "'uniqueItems' must be true or false")
        }
        return ReadType(type: .array(item.type), constraints: constraints)
    }

    private mutating func object(_ members: SchemaMembers, _ place: TypePosition, _ role: PropertyRole) -> ReadType {
        if members[.properties] != nil {
            return members.isGeoPoint ? ReadType(type: .geoPoint) : embedded(members, place)
        }
        var constraints = members.constraints
        var item = ReadType(type: .mixed)
        switch members[.additionalProperties] {
        case .document(let schema): item = nested(schema, "additionalProperties", place, role)
        case nil, .bool(true): break
        case .bool(false): constraints["additionalProperties"] = false
        default:
            invalid("additionalProperties", "'additionalProperties' must be a schema, true or false")
        }
        if let required = members[.required] { constraints["required"] = required }
        if !item.constraints.isEmpty { constraints["additionalProperties"] = .document(item.constraints) }
        return ReadType(type: .dictionary(item.type), constraints: constraints)
    }

    private mutating func embedded(_ members: SchemaMembers, _ place: TypePosition) -> ReadType {
        let title = checkedTitle(members)
        let name = title.flatMap { $0.isEmpty ? nil : $0 } ?? place.derivedName
        if title != nil { checkLength(name, isEmbedded: true) }
        if let extensions = members.extensions, extensions.isDefined {
            if let known = object(name), known.isEmbedded { return ReadType(type: .embedded(name)) }
            invalid(
                SchemaExtensions.name, subject: name,
                "'defined' refers to an earlier embedded type '\(name)', and there is none")
            return ReadType(type: .mixed)
        }
        guard open.insert(name).inserted else {
            issue(.embeddedCycle, subject: name, "the embedded type '\(name)' would contain itself")
            return ReadType(type: .mixed)
        }
        let description = place.isNested ? text(members[.description]) : members.extensions?.typeDescription
        let (object, _) = objectType(name, members, description: description, isEmbedded: true, field: place.field)
        open.remove(name)
        add(object)
        return ReadType(type: .embedded(name))
    }

    private mutating func nested(
        _ schema: MongoDocument, _ keyword: String, _ place: TypePosition, _ role: PropertyRole
    ) -> ReadType {
        path.append(keyword)
        defer { path.removeLast() }
        let below = TypePosition(derivedName: place.derivedName, field: place.field + ["[]"], isNested: true)
        return type(SchemaMembers(schema), below, role: role)
    }

    // MARK: - Links

    private mutating func link(
        _ type: PropertyType, _ target: RelationshipsReader.Target?, _ name: String?, _ role: PropertyRole
    ) -> PropertyType {
        guard let name = target?.type ?? name else { return type }
        if case .primaryKey = role {
            issue(.relationshipOnID, "the primary key can't be a link")
            return type
        }
        guard type.isKey else {
            issue(
                .badRef, subject: name,
                "a link must be of a primary key's type: an objectId, a uuid, a string, an int or a long")
            return type
        }
        links.append(
            ReadLink(target: name, key: type, foreignKey: target?.foreignKey, title: root, path: path))
        return .link(to: name, key: type)
    }
}

extension SchemaMembers {
    /// A Boolean value that says whether the schema is exactly that of a GeoJSON point.
    fileprivate var isGeoPoint: Bool {
        guard constraints.isEmpty, self[.additionalProperties] == nil,
            self[.title] == nil || self[.title] == "GeoPoint",
            self[.properties] == .document(Self.geoPointProperties)
        else { return false }
        return self[.required] == ["type"] || self[.required] == ["type", "coordinates"]
    }

    /// The properties of a GeoJSON point.
    static let geoPointProperties: MongoDocument = [
        "type": ["bsonType": "string"],
        "coordinates": ["bsonType": "array", "items": ["bsonType": "double"]],
    ]
}

extension JSONSchemaReader {
    /// The type that a schema's `bsonType` or `type` names.
    enum TypeName {
        /// One type that models have. `allowsNull` is true if null is named too.
        case one(String, allowsNull: Bool)
        /// No type, several types, or a type that models don't have.
        case any
        /// A value of the keyword that is neither the name of a type nor a list of such names.
        case wrong
    }

    /// Reads the type that a schema names in `bsonType` or `type`.
    ///
    /// - Parameters:
    ///   - members: the schema.
    ///   - isNested: true for the schema of the items of a list or set, or of the values of a dictionary.
    /// - Returns: the named type.
    mutating func typeName(_ members: SchemaMembers, isNested: Bool) -> TypeName {
        let keyword = members[.bsonType] == nil ? "type" : "bsonType"
        switch members[.bsonType] ?? members[.type] {
        case nil:
            if members[.properties] != nil { return .one("object", allowsNull: false) }
            for member in members.constraints where ["allOf", "anyOf", "oneOf"].contains(member.key) {
                issue(
                    .unsupportedKeyword, severity: .warning, at: [member.key], subject: member.key,
                    "models have no alternatives: the value is read as 'mixed', which takes any type")
            }
            return .any
        case .string(let name): return checked(name, keyword, allowsNull: false)
        case .array(let items):
            let names = items.compactMap { if case .string(let name) = $0 { name } else { nil } }
            guard names.count == items.count, !names.isEmpty else { break }
            return singleName(names, keyword, isNested)
        default: break
        }
        invalid(keyword, "'\(keyword)' must be the name of a type, or a list of names")
        return .wrong
    }

    private mutating func singleName(_ names: [String], _ keyword: String, _ isNested: Bool) -> TypeName {
        let others = names.filter { $0 != "null" }
        let allowsNull = others.count < names.count
        guard let name = others.first else { return checked("null", keyword, allowsNull: true) }
        // A collection can't contain null beside values of its type.
        if others.count == 1, !(allowsNull && isNested) { return checked(name, keyword, allowsNull: allowsNull) }
        if let unknown = others.first(where: { !Self.isKnown($0, keyword) }) {
            return checked(unknown, keyword, allowsNull: false)
        }
        issue(
            .unionType, severity: .warning, at: [keyword],
            "models have no values of several types: the value is read as 'mixed', which takes any type")
        return .any
    }

    private static func isKnown(_ name: String, _ keyword: String) -> Bool {
        keyword == "bsonType"
            ? name == "number" || name == "mixed" || name == "uuid" || BSONType(alias: name) != nil
            : ["object", "array", "string", "boolean", "number", "null"].contains(name)
    }

    /// Returns the type with a name, and records an issue if models don't have this type.
    private mutating func checked(_ name: String, _ keyword: String, allowsNull: Bool) -> TypeName {
        let isModelType =
            keyword == "bsonType"
            ? Self.scalars[name] != nil || name == "array" || name == "object"
            : ["string", "boolean", "array", "object"].contains(name)
        guard !isModelType else { return .one(name, allowsNull: allowsNull) }
        let isKnown = Self.isKnown(name, keyword)
        issue(
            .unsupportedType, severity: isKnown ? .warning : .error, at: [keyword], subject: name,
            isKnown
                ? "models don't have the type '\(name)': the value is read as 'mixed', which takes any type"
                : "there is no type '\(name)'")
        return isKnown ? .any : .wrong
    }

    /// The types of App Services that contain no other types, by their names in `bsonType`.
    static let scalars: [String: PropertyType] = [
        "bool": .bool, "int": .int, "long": .long, "double": .double, "decimal": .decimal128, "string": .string,
        "date": .date, "objectId": .objectID, "uuid": .uuid, "binData": .data, "mixed": .mixed,
    ]
}
