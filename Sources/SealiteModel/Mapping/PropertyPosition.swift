internal import SealiteValues

/// The position in a JSON Schema of a property that is being read.
struct PropertyPosition {
    /// The name of the object type that has the property.
    let owner: String
    /// The names from the schema of the object type to the JSON object that has the property as a member.
    let keyword: [String]
    /// The names of the path from the document to the property, as the paths in App Services' file of relationships
    /// have them.
    let field: [String]
    let role: PropertyRole
}
