/// A keyword with its value and the schema's remaining members.
struct SchemaKeyword {
    let name: String
    let value: BSON
    let siblings: MongoDocument
}
