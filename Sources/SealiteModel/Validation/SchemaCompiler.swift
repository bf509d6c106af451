internal import SealiteValues

/// Compiles object types into the checks of a validator.
struct SchemaCompiler {
    private let schema: Schema
    private let takesNull: Bool
    /// The checks of the object types that have been compiled or are being compiled, in the order in which their
    /// compilation began.
    private(set) var objects: [ObjectCheck] = []
    private var places: [String: Int] = [:]

    init(_ schema: Schema, takesNull: Bool) { (self.schema, self.takesNull) = (schema, takesNull) }

    /// Compiles an object type and its embedded types.
    ///
    /// - Returns: its index in ``objects``.
    @discardableResult
    mutating func compile(_ type: ObjectSchema) throws(SchemaError) -> Int {
        let place = objects.count
        places[type.name] = place
        // Reserves the index before the properties are compiled, because a type may contain itself.
        objects.append(ObjectCheck([], nil))
        var properties: [PropertyCheck] = []
        for property in type.properties where property.name != type.primaryKey {
            let check = try check(of: property.type, in: type.name)
            properties.append(
                PropertyCheck(
                    property, check, takesNull: property.takesNull(takesNull),
                    try constraints(property.constraints, "\(type.name).\(property.name)")))
        }
        objects[place] = ObjectCheck(properties, try constraints(type.objectConstraints, type.name))
        return place
    }

    /// Returns the check of a property's type.
    mutating func check(of type: PropertyType, in owner: String) throws(SchemaError) -> ValueCheck {
        switch type {
        case .bool, .int, .long, .double, .string, .data, .date, .decimal128, .objectID, .uuid, .mixed:
            return .scalar(ValueCheck.Scalar(rawValue: type.bsonTypeName) ?? .mixed)
        case .geoPoint: return .scalar(.geoPoint)
        case .link(_, let key): return try check(of: key, in: owner)
        case .array(let item): return .items(try check(of: item, in: owner), isSet: false)
        case .set(let item): return .items(try check(of: item, in: owner), isSet: true)
        case .dictionary(let value): return .members(try check(of: value, in: owner))
        case .embedded(let name):
            if let place = places[name] { return .object(place) }
            guard let embedded = schema[name] else {
                throw .invalidSchema([
                    "The type '\(owner)' has a property of the embedded type '\(name)', which isn't in the schema."
                ])
            }
            return .object(try compile(embedded))
        }
    }

    // MARK: - Constraints

    private func constraints(_ keywords: MongoDocument, _ place: String) throws(SchemaError) -> JSONSchema? {
        guard !keywords.isEmpty else { return nil }
        do throws(JSONSchemaError) {
            return try SchemaConstraints.validator(of: keywords)
        } catch {
            throw .invalidSchema(["The constraints of '\(place)' can't be read: \(error)"])
        }
    }
}

extension Property {
    /// Returns whether null is valid: always for a mixed property; for another property if it may be absent and the
    /// policy accepts null for such properties.
    fileprivate func takesNull(_ isNullValid: Bool) -> Bool {
        if case .mixed = type { return true }
        return isNullValid && !isRequired
    }
}

extension ObjectSchema {
    /// The constraints on the whole object, and the names of the properties, on which the meaning of
    /// `additionalProperties` and `patternProperties` depends.
    fileprivate var objectConstraints: MongoDocument {
        guard constraints["additionalProperties"] != nil || constraints["patternProperties"] != nil else {
            return constraints
        }
        var keywords = constraints
        let names = properties.map { MongoDocument.Member($0.name, .document([:])) }
        keywords["properties"] = .document(MongoDocument(names))
        return keywords
    }
}
