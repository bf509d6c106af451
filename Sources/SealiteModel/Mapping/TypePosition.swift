internal import SealiteValues

/// The position in a JSON Schema of a type that is being read.
struct TypePosition {
    /// The name for an embedded type whose schema has no title.
    let derivedName: String
    /// The names of the path from the document to the value, as the paths in App Services' file of relationships have
    /// them.
    var field: [String]
    /// A Boolean value that says whether the type is that of the values of a list, set or dictionary.
    var isNested: Bool
}
