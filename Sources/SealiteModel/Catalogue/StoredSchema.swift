public import SealiteDatabase

/// The schema of a type that has documents of its own, as stored in the database's catalogue (Documentation/Models.md
/// §3).
public struct StoredSchema: Sendable {
    /// The name of the type that the schema describes.
    public let title: String
    /// The collection of the type's documents; nil if it doesn't exist yet.
    public let collection: Collection?
    /// The version that the application gave the schema.
    public let version: UInt64
    /// The type, with the types that are embedded in it.
    public let schema: Schema
    /// The rules by which the type's documents are validated when they are saved.
    public let policy: SchemaPolicy
    /// The object type that the schema describes.
    public let object: ObjectSchema

    /// Creates a stored schema.
    ///
    /// - Returns: nil if the type isn't in the schema, or is embedded.
    init?(title: String, collection: Collection?, version: UInt64, schema: Schema, policy: SchemaPolicy) {
        guard let object = schema[title], !object.isEmbedded else { return nil }
        (self.title, self.collection, self.version) = (title, collection, version)
        (self.schema, self.policy, self.object) = (schema, policy, object)
    }
}

extension Schema {
    /// Returns the schema of one type and the types that are embedded in it, at any depth; empty if there is no such
    /// type.
    package func closure(of name: String) -> Schema {
        var found: [ObjectSchema] = []
        var waiting = [name]
        var seen: Set<String> = [name]
        while let next = waiting.popLast() {
            guard let object = self[next] else { continue }
            found.append(object)
            for property in object.properties + object.removed {
                guard let inner = property.type.embeddedName, seen.insert(inner).inserted else { continue }
                waiting.append(inner)
            }
        }
        return Schema(found)
    }

    /// Adds the types of another schema that this schema doesn't have.
    mutating func add(_ other: Schema) {
        objects += other.objects.filter { self[$0.name] == nil }
    }
}
