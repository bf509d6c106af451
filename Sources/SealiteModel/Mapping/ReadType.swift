internal import SealiteValues

/// A type, with the parts of the schema that it can't express.
struct ReadType {
    var type: PropertyType
    var constraints: MongoDocument = [:]
    /// A Boolean value that says whether null was among the types.
    var allowsNull = false
}
