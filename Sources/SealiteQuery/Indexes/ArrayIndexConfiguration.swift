/// The definition of an index over the elements of an array, for UNNEST, ANY, IN and ARRAY\_CONTAINS. A value that
/// isn't an array counts as its own only element, as in UNNEST.
///
/// ```swift
/// try people.createIndex(withName: "likes", config: ArrayIndexConfiguration(path: "likes"))
/// let phones = ArrayIndexConfiguration(path: "contacts[].phones", expressions: ["type"])
/// try people.createIndex(withName: "phones", config: phones)
/// ```
public struct ArrayIndexConfiguration: IndexConfiguration, Equatable {
    /// The path to the array. If the array is nested in the elements of another array, `[].` separates the path to the
    /// outer array from the path within its elements. Paths consist of names and indexes from 0.
    public var path: String
    /// The expressions over an element, in SQL++: names in them are properties of the element, and each may end with
    /// COLLATE. 1 to 32 expressions; nil to index the element itself.
    public var expressions: [String]?

    /// Creates a definition of an array index.
    public init(path: String, expressions: [String]? = nil) {
        self.path = path
        self.expressions = expressions
    }
}
