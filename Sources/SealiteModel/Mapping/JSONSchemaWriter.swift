internal import SealiteValues

/// Writes object types as JSON Schemas.
struct JSONSchemaWriter {
    private let objects: [String: ObjectSchema]
    private let isPlain: Bool
    /// The types that were already written, if each type is written only in its first position; nil if each is written
    /// in all of its positions.
    private let written: WrittenTypes?

    /// The number of positions of embedded types above which each type is written only in its first one.
    static let placeCount = 1_000

    init(_ schema: Schema, isPlain: Bool, root: String) {
        let objects = Dictionary(schema.objects.map { ($0.name, $0) }) { first, _ in first }
        (self.objects, self.isPlain) = (objects, isPlain)
        var counts: [String: Int] = [:]
        // Embedded types that use each other several times have as many positions as there are paths through them.
        let count = Self.placeCount(below: root, objects, &counts)
        written = count > Self.placeCount ? WrittenTypes() : nil
    }

    /// Returns the number of positions of embedded types below a type, counted up to a limit. `known` caches the counts
    /// by type.
    private static func placeCount(
        below name: String, _ objects: [String: ObjectSchema], _ known: inout [String: Int]
    ) -> Int {
        if let count = known[name] { return count }
        known[name] = 0
        var count = 0
        for property in (objects[name].map { $0.properties + $0.removed }) ?? [] {
            guard let inner = property.type.embeddedName else { continue }
            count = min(count + 1 + placeCount(below: inner, objects, &known), placeCount + 1)
        }
        known[name] = count
        return count
    }

    /// Returns the JSON Schema of an object type; empty if there is no such type.
    func root(_ name: String) -> MongoDocument {
        guard let object = objects[name] else { return [:] }
        var extensions = MongoDocument()
        if let key = object.primaryKey {
            if key != "_id" { extensions["primaryKey"] = .string(key) }
        } else if object["_id"] != nil {
            extensions["primaryKey"] = .null
        }
        return schema(of: object, description: object.description, extensions, open: [name])
    }

    // MARK: - Objects

    private func schema(
        of object: ObjectSchema, description: String?, _ extensions: MongoDocument, open: Set<String>
    ) -> MongoDocument {
        var schema: MongoDocument = ["title": .string(object.name), "bsonType": "object"]
        if let description { schema["description"] = .string(description) }
        let required = object.properties.filter { isRequired($0, in: object) }.map { BSON.string($0.name) }
        if !required.isEmpty { schema["required"] = .array(required) }
        let properties = object.properties.map { property in
            let isOptionalKey = property.name == object.primaryKey && property.isOptional
            return member(property, isMarkedOptional: isOptionalKey, open)
        }
        schema["properties"] = .document(MongoDocument(properties))
        merge(object.constraints, into: &schema)
        var extensions = extensions
        if !object.removed.isEmpty {
            let removed = object.removed.map { property in
                member(property, isMarkedOptional: property.hasOptionality && property.isOptional, open)
            }
            extensions["removed"] = .document(MongoDocument(removed))
        }
        add(extensions, to: &schema)
        return schema
    }

    private func isRequired(_ property: Property, in object: ObjectSchema) -> Bool {
        property.isRequired || property.name == object.primaryKey && !property.isOptional
    }

    private func member(_ property: Property, isMarkedOptional: Bool, _ open: Set<String>) -> MongoDocument.Member {
        var schema = schema(of: property.type, open)
        if case .embedded(let name) = property.type {
            // At this position, the member `description` has the description of the property.
            schema["description"] = nil
            if let text = objects[name]?.description { add(["description": .string(text)], to: &schema) }
        }
        if let text = property.description { schema["description"] = .string(text) }
        if let value = property.defaultValue { schema["default"] = value }
        merge(property.constraints, into: &schema)
        var extensions = MongoDocument()
        if property.isIndexed { extensions["indexed"] = true }
        if let index = property.vectorIndex { extensions["vectorIndex"] = .document(index.document) }
        if isMarkedOptional { extensions["optional"] = true }
        if !property.renamedFrom.isEmpty {
            extensions["renamedFrom"] = .array(property.renamedFrom.map { .string($0) })
        }
        add(extensions, to: &schema)
        return MongoDocument.Member(property.name, .document(schema))
    }

    // MARK: - Types

    private func schema(of type: PropertyType, _ open: Set<String>) -> MongoDocument {
        switch type {
        case .geoPoint:
            return [
                "bsonType": "object", "required": ["type"], "properties": .document(SchemaMembers.geoPointProperties),
            ]
        case .embedded(let name):
            // The type doesn't exist, or contains itself, which no database accepts.
            guard !open.contains(name), let object = objects[name] else {
                return ["title": .string(name), "bsonType": "object", "properties": [:]]
            }
            if let written, !written.add(name) {
                var schema: MongoDocument = ["title": .string(name), "bsonType": "object", "properties": [:]]
                add(["defined": true], to: &schema)
                return schema
            }
            return schema(of: object, description: object.description, [:], open: open.union([name]))
        case .link(let target, let key):
            var schema = schema(of: key, open)
            add(["link": .string(target)], to: &schema)
            return schema
        case .array(let item): return ["bsonType": "array", "items": .document(schema(of: item, open))]
        case .set(let item):
            return ["bsonType": "array", "uniqueItems": true, "items": .document(schema(of: item, open))]
        case .dictionary(let item):
            return ["bsonType": "object", "additionalProperties": .document(schema(of: item, open))]
        default: return ["bsonType": .string(type.bsonTypeName)]
        }
    }

    // MARK: - Merging

    private func add(_ extensions: MongoDocument, to schema: inout MongoDocument) {
        guard !isPlain, !extensions.isEmpty else { return }
        var members = MongoDocument()
        if case .document(let others)? = schema[SchemaExtensions.name] { members = others }
        for member in extensions { members[member.key] = member.value }
        schema[SchemaExtensions.name] = .document(members)
    }

    /// Adds constraints to a schema; those inside keywords that contain schemas are merged with the content of these
    /// keywords.
    private func merge(_ constraints: MongoDocument, into schema: inout MongoDocument) {
        for member in constraints {
            switch (member.key, schema[member.key], member.value) {
            case ("items", .document(var below)?, .document(let others)),
                ("additionalProperties", .document(var below)?, .document(let others)):
                merge(others, into: &below)
                schema[member.key] = .document(below)
            case ("required", .array(let names)?, .array(let others)): schema["required"] = .array(names + others)
            case ("type", _, let value):
                schema["bsonType"] = nil
                schema["type"] = value
            case (_, _, let value): schema[member.key] = value
            }
        }
    }
}

/// The names of the types whose schemas were already written in full.
private final class WrittenTypes {
    private var names: Set<String> = []

    /// Adds a type.
    ///
    /// - Returns: true if the type was added, false if it had been added before.
    func add(_ name: String) -> Bool { names.insert(name).inserted }
}
