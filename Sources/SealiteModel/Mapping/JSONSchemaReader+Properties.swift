internal import SealiteValues

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
            description: text(members.description), constraints: read.constraints)
        property.isOptional = isOptional(property, place.role, extensions, allowsNull: read.allowsNull)
        property.defaultValue = defaultValue(members.defaultValue, of: property)
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

extension PropertyType {
    /// A Boolean value that says whether the type is a link, or a list, set or dictionary of links.
    var isLink: Bool {
        switch self {
        case .link: true
        case .array(let item), .set(let item), .dictionary(let item): item.isLink
        default: false
        }
    }
}
