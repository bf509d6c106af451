public import SealiteValues

extension Schema {
    /// The object types of JSON Schemas of documents, in the dialect of Documentation/Models.md §6, and the embedded types in them.
    ///
    /// - Parameters:
    ///   - roots: the schemas, one of each type.
    ///   - relationships: the files of relationships by the titles of the types that they belong to.
    ///   - collections: the titles of the types that collections have; a collection that isn't named has the name of its type.
    /// - Throws: `SchemaIssues`, where one of the issues is an error.
    public init(
        jsonSchema roots: [MongoDocument], relationships: [String: MongoDocument] = [:],
        collections: [String: String] = [:]
    ) throws(SchemaIssues) {
        let reading = Schema.reading(jsonSchema: roots, relationships: relationships, collections: collections)
        guard !reading.issues.contains(where: { $0.severity == .error }) else { throw SchemaIssues(reading.issues) }
        self = reading.schema
    }

    /// Returns the object types of JSON Schemas as far as they can be read, and all issues.
    ///
    /// - Parameters:
    ///   - roots: the schemas, one of each type.
    ///   - relationships: the files of relationships by the titles of the types that they belong to.
    ///   - collections: the titles of the types that collections have.
    /// - Returns: the schema, which isn't to be used where an issue is an error, and the issues.
    public static func reading(
        jsonSchema roots: [MongoDocument], relationships: [String: MongoDocument] = [:],
        collections: [String: String] = [:]
    ) -> (schema: Schema, issues: [SchemaIssue]) {
        var reader = JSONSchemaReader(relationships: relationships, collections: collections)
        for root in roots { reader.readRoot(root) }
        reader.checkLinks()
        return (Schema(reader.objects), reader.issues)
    }

    /// Returns the JSON Schema of an object type, with its embedded types in their places; where there are more than 1,000 such places, each type stands in the first of its places alone.
    ///
    /// - Parameters:
    ///   - name: the name of the type.
    ///   - isPlain: whether the members `sealite` are left out, which say what JSON Schema can't.
    /// - Returns: the schema; empty where there is no such type.
    public func jsonSchema(of name: String, isPlain: Bool = false) -> MongoDocument {
        JSONSchemaWriter(self, isPlain: isPlain, root: name).root(name)
    }

    /// Returns the relationships of an object type, as App Services keeps them beside its JSON Schema.
    ///
    /// - Parameters:
    ///   - name: the name of the type.
    ///   - source: the name of the data source in references.
    ///   - database: the name of the database in references.
    /// - Returns: the relationships by their paths; empty where there are none.
    public func relationships(
        of name: String, source: String = "mongodb-atlas", database: String = "sealite"
    ) -> MongoDocument {
        var writer = RelationshipsWriter(self, source: source, database: database)
        return writer.relationships(of: name)
    }
}
