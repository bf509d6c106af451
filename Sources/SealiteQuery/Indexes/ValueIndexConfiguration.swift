/// The definition of an index over the values of expressions, optionally restricted to the documents that fulfil a
/// condition.
///
/// ```swift
/// try people.createIndex(withName: "city", config: ValueIndexConfiguration(["address.city", "age"]))
/// ```
public struct ValueIndexConfiguration: IndexConfiguration, Equatable {
    /// The expressions over a document, in SQL++; each may end with COLLATE. 1 to 32 expressions.
    public var expressions: [String]
    /// A condition in SQL++: only documents that fulfil it are in the index; nil if all documents are in it.
    public var `where`: String?

    /// Creates a definition of a value index.
    public init(_ expressions: [String], where condition: String? = nil) {
        self.expressions = expressions
        self.where = condition
    }
}
