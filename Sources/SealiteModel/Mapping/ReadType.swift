internal import SealiteValues

/// A type that was read from a schema, with the parts of the schema that the type can't express.
struct ReadType {
    var type: PropertyType
    var constraints: MongoDocument = [:]
    /// A Boolean value that says whether the schema names null beside the type.
    var allowsNull = false
}
