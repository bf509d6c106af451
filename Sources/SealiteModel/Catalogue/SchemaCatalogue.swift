public import SealiteDatabase
internal import SealiteValues

/// The schemas that a database stores, one for each type that has documents of its own.
///
/// The methods take part in the transaction or snapshot of the calling thread.
public struct SchemaCatalogue: Sendable {
    /// The database that stores the schemas.
    public let database: Database

    /// Creates the catalogue of a database.
    public init(_ database: Database) { self.database = database }

    /// Returns the stored schemas, in the order in which they were first stored.
    ///
    /// - Throws: `SchemaError.damagedSchema` for a schema that can't be read.
    public func storedSchemas() throws -> [StoredSchema] {
        try database.schemaRecords().map { try schema(of: $0) }
    }

    /// Returns a stored schema by the name of its type; nil if there is none.
    ///
    /// - Throws: `SchemaError.damagedSchema` if the stored schema can't be read.
    public func storedSchema(_ title: String) throws -> StoredSchema? {
        try database.schemaRecords().first { $0.title == title }.map { try schema(of: $0) }
    }

    /// Returns the schemas that can be read; schemas that can't be read are left out unless their type is one of
    /// `titles`.
    ///
    /// - Throws: `SchemaError.damagedSchema` if the schema of one of these types can't be read.
    func readableSchemas(needing titles: Set<String>) throws -> [StoredSchema] {
        try database.schemaRecords().compactMap { record in
            titles.contains(record.title) ? try schema(of: record) : try? schema(of: record)
        }
    }

    /// Stores the schema of the type `title`, replacing the stored schema of the type with this name.
    ///
    /// - Throws: `SchemaError.unknownType` if the type isn't in the schema, `SchemaError.embeddedType` if it has no
    ///   documents of its own.
    public func store(
        _ title: String, of schema: Schema, collection: Collection?, version: UInt64,
        policy: SchemaPolicy = SchemaPolicy()
    ) throws {
        guard let object = schema[title] else { throw SchemaError.unknownType(title) }
        guard !object.isEmbedded else { throw SchemaError.embeddedType(title) }
        try database.setSchemaRecord(
            Self.record(title, of: schema, collection: collection, version: version, policy: policy))
    }

    /// Removes the schema of a type, if there is one. The type's documents stay.
    public func remove(_ title: String) throws { try database.removeSchemaRecord(title: title) }

    /// Returns the record that a database stores for a type: its schema and policy as JSON Schema, the number of its
    /// collection and the version.
    static func record(
        _ title: String, of schema: Schema, collection: Collection?, version: UInt64, policy: SchemaPolicy
    ) -> SchemaRecord {
        let document = schema.jsonSchema(of: title).adding(policy)
        return SchemaRecord(
            title: title, collection: collection?.number, version: version,
            definition: BSON.document(document).extendedJSON())
    }

    private func schema(of record: SchemaRecord) throws -> StoredSchema {
        let document: MongoDocument
        let schema: Schema
        do {
            document = try Schema.document(ofText: Array(record.definition.utf8))
            schema = try Schema(jsonSchema: [document])
        } catch {
            throw SchemaError.damagedSchema(title: record.title, reason: "\(error)")
        }
        let stored = StoredSchema(
            title: record.title, collection: try record.collection.flatMap { try database.collection(number: $0) },
            version: record.version, schema: schema, policy: SchemaPolicy(sealite: document.extensions))
        guard let stored else {
            throw SchemaError.damagedSchema(title: record.title, reason: "it is the schema of another type")
        }
        return stored
    }
}

extension MongoDocument {
    /// The content of the member `sealite` of a JSON Schema: what JSON Schema can't express. Empty if there is none.
    fileprivate var extensions: MongoDocument {
        if case .document(let members)? = self[SchemaExtensions.name] { members } else { [:] }
    }

    /// Returns this JSON Schema with the settings of a policy added to its member `sealite`.
    func adding(_ policy: SchemaPolicy) -> MongoDocument {
        var (document, members) = (self, extensions)
        for member in policy.members { members[member.key] = member.value }
        if !members.isEmpty { document[SchemaExtensions.name] = .document(members) }
        return document
    }
}

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
