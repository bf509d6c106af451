/// A keyword with its value and the other members of its schema.
struct SchemaKeyword {
    let name: String
    let value: BSON
    let siblings: MongoDocument
}
