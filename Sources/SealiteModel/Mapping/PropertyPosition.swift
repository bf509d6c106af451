internal import SealiteValues

/// The position in a JSON Schema of a property that is being read.
struct PropertyPosition {
    /// The name of the object type.
    let owner: String
    /// The names from the schema of the object type to the JSON object that has the property as a member.
    let keyword: [String]
    /// The names of the path to the property, in the form of the file of relationships.
    let field: [String]
    let role: PropertyRole
}
