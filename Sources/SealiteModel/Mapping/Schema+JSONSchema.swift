public import SealiteValues

extension Schema {
    /// Creates the object types, embedded ones included, of JSON Schemas in the dialect of Documentation/Models.md §6.
    ///
    /// - Parameters:
    ///   - roots: the schemas, one for each type.
    ///   - relationships: the contents of the files of relationships, by the titles of their types.
    ///   - collections: the title of each collection's type, by the name of the collection; a collection that isn't
    ///     listed has the name of its type.
    /// - Throws: `SchemaIssues`, with all issues that were found, if one of them is an error.
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
    ///   - roots: the schemas, one for each type.
    ///   - relationships: the contents of the files of relationships, by the titles of their types.
    ///   - collections: the title of each collection's type, by the name of the collection.
    /// - Returns: the schema, which must not be used if an issue is an error, and the issues.
    public static func reading(
        jsonSchema roots: [MongoDocument], relationships: [String: MongoDocument] = [:],
        collections: [String: String] = [:]
    ) -> (schema: Schema, issues: [SchemaIssue]) {
        var reader = JSONSchemaReader(relationships: relationships, collections: collections)
        for root in roots { reader.readRoot(root) }
        reader.checkLinks()
        return (Schema(reader.objects), reader.issues)
    }

    /// Returns the JSON Schema of an object type, with its embedded types in their positions. If there are more than
    /// 1,000 such positions, each type is written only in its first one.
    ///
    /// - Parameters:
    ///   - name: the name of the type.
    ///   - isPlain: true to omit the members `sealite`, which contain the properties of a type that JSON Schema can't
    ///     express.
    /// - Returns: the schema; empty if there is no such type.
    public func jsonSchema(of name: String, isPlain: Bool = false) -> MongoDocument {
        JSONSchemaWriter(self, isPlain: isPlain, root: name).root(name)
    }

    /// Returns the relationships of an object type, at most 10,000, in the form in which App Services stores them in
    /// addition to its JSON Schema.
    ///
    /// - Parameters:
    ///   - name: the name of the type.
    ///   - source: the name of the data source in references.
    ///   - database: the name of the database in references.
    /// - Returns: the relationships by their paths; empty if there are none.
    public func relationships(
        of name: String, source: String = "mongodb-atlas", database: String = "sealite"
    ) -> MongoDocument {
        var writer = RelationshipsWriter(self, source: source, database: database)
        return writer.relationships(of: name)
    }
}

extension Schema {
    /// The maximum number of bytes of a JSON Schema's text.
    public static let maximumTextLength = 4 << 20

    /// Parses the text of a JSON Schema, or of a file of relationships. Nesting and size are bounded, and names must be
    /// unique in an object.
    ///
    /// - Parameter text: the text in UTF-8.
    /// - Returns: the document.
    /// - Throws: `SchemaIssues` with one issue, `badJSON`, with its line and column.
    public static func document(ofText text: [UInt8]) throws(SchemaIssues) -> MongoDocument {
        guard text.count <= maximumTextLength else {
            throw SchemaIssues([
                SchemaIssue(
                    .badJSON, position: .init(line: 1, column: 1), "the text has more than \(maximumTextLength) bytes")
            ])
        }
        do {
            if case .document(let document) = try BSON(extendedJSON: text, wrappers: .lenient) { return document }
        } catch {
            throw SchemaIssues([
                SchemaIssue(.badJSON, position: .init(ofByte: error.offset, in: text), error.reason)
            ])
        }
        throw SchemaIssues([
            SchemaIssue(.badJSON, position: .init(line: 1, column: 1), "the text must be a JSON object")
        ])
    }
}

extension SchemaIssue.Position {
    /// Creates the position of the byte at an offset in a text.
    fileprivate init(ofByte offset: Int, in text: [UInt8]) {
        let before = text.prefix(max(0, offset))
        let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        line = before.count { $0 == UInt8(ascii: "\n") } + 1
        // Continuation bytes of a scalar don't count.
        column = before[start...].count { $0 & 0xC0 != 0x80 } + 1
    }
}
