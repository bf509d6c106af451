internal import SealiteValues

/// The position of a type while it is read.
struct TypePosition {
    /// The name of an embedded type without a title.
    let derivedName: String
    /// The path in the relationships.
    var field: [String]
    /// A Boolean value that says whether the type is that of the values of a list, set or dictionary.
    var isNested: Bool
}
