/// A keyword with its value and, as `siblings`, all members of the schema that contains it, itself included.
struct SchemaKeyword {
    let name: String
    let value: BSON
    let siblings: MongoDocument
}
