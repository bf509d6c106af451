internal import SealiteJSON
internal import SealiteValues

/// The members of a JSON Schema, grouped by purpose.
struct SchemaMembers {
    var title: BSON?
    var description: BSON?
    var type: BSON?
    var bsonType: BSON?
    var properties: BSON?
    var required: BSON?
    var items: BSON?
    var additionalProperties: BSON?
    var uniqueItems: BSON?
    var defaultValue: BSON?
    /// The content of the member `sealite`; nil if it is invalid.
    let extensions: SchemaExtensions?
    /// The keywords of the schema that only validation checks, with their values.
    var constraints: MongoDocument
    /// The keywords of the schema that App Services' dialect doesn't have.
    let unsupported: [String]

    init(_ schema: MongoDocument) {
        var (constraints, unsupported) = ([MongoDocument.Member](), [String]())
        var known: [String: BSON] = [:]
        for member in schema {
            if Self.names.contains(member.key) {
                known[member.key] = member.value
            } else if SchemaConstraints.keywords.contains(member.key) {
                constraints.append(member)
            } else {
                unsupported.append(member.key)
            }
        }
        (self.constraints, self.unsupported) = (MongoDocument(constraints), unsupported)
        (title, description, type, bsonType) = (
            known["title"], known["description"], known["type"], known["bsonType"]
        )
        (properties, required, items) = (known["properties"], known["required"], known["items"])
        (additionalProperties, uniqueItems) = (known["additionalProperties"], known["uniqueItems"])
        defaultValue = known["default"]
        extensions = SchemaExtensions(known[SchemaExtensions.name])
    }

    private static let names: Set<String> = [
        "title", "description", "type", "bsonType", "properties", "required", "items", "additionalProperties",
        "uniqueItems", "default", SchemaExtensions.name,
    ]
}
