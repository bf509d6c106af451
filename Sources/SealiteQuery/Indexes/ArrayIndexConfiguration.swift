/// An index over the elements of an array, for UNNEST, ANY, IN and ARRAY\_CONTAINS. A value that isn't an array counts
/// as its own only element, as in UNNEST.
///
/// ```swift
/// try people.createIndex(withName: "likes", config: ArrayIndexConfiguration(path: "likes"))
/// try people.createIndex(withName: "phones", config: ArrayIndexConfiguration(path: "contacts[].phones", expressions: ["type"]))
/// ```
public struct ArrayIndexConfiguration: IndexConfiguration, Equatable {
    /// The path to the array; `[].` precedes the path from each element to a nested array. Steps are names and indexes
    /// from 0.
    public var path: String
    /// The expressions over an element, in SQL++, whose names are the element's properties; each may end with COLLATE.
    /// 1 to 32 expressions; nil for the element itself.
    public var expressions: [String]?

    /// Creates a definition.
    public init(path: String, expressions: [String]? = nil) {
        self.path = path
        self.expressions = expressions
    }
}
