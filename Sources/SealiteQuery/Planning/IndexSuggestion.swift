internal import SealiteDatabase

/// An index with which a query would not have to read every document of a collection.
public struct IndexSuggestion: Sendable, Equatable, CustomStringConvertible {
    /// The name of the collection's scope.
    public let scopeName: String
    /// The name of the collection.
    public let collectionName: String
    /// The path to the array whose elements the index would contain; nil for an index over documents.
    public let path: String?
    /// The expressions of the index in SQL++, in their order; empty if the index would contain whole elements.
    public let expressions: [String]

    /// A sentence that describes the index.
    public var description: String {
        let list = expressions.joined(separator: ", ")
        let keys = path.map { expressions.isEmpty ? "the elements of \($0)" : "\(list) of the elements of \($0)" }
        return "an index over \(keys ?? list) of \(scopeName).\(collectionName) would help"
    }
}
