internal import SealiteValues

/// The position of a property while it is read.
struct PropertyPosition {
    /// The name of the object type.
    let owner: String
    /// The names from the schema to the object that has the property as a member.
    let keyword: [String]
    /// The path in the relationships.
    let field: [String]
    let role: PropertyRole
}
