internal import SealiteValues

/// The position in a JSON Schema of a type that is being read.
struct TypePosition {
    /// The name for an embedded type whose schema has no title.
    let derivedName: String
    /// The names of the path to the value, in the form of the file of relationships.
    var field: [String]
    /// A Boolean value that says whether the type is that of the values of a list, set or dictionary.
    var isNested: Bool
}
