public import SealiteDatabase
internal import SealiteFunctions
internal import SealiteQueryLanguage

/// An index of a collection.
public struct QueryIndex: Sendable {
    /// The collection that has the index.
    public let collection: Collection
    /// The index's name, unique in the collection.
    public let name: String
    /// The path to the array whose elements are indexed; nil if documents are indexed.
    public let path: String?
    /// The indexed expressions in SQL++; empty if whole elements are indexed, or if the index wasn't created from
    /// SQL++.
    public let expressions: [String]
    /// The condition in SQL++ of a partial index; nil if all documents are in the index.
    public let `where`: String?
    /// The language that the full-text index was created with; nil if it has none, and for other kinds of indexes.
    public let language: String?
    /// The definition of a full-text index, with the stop words that `automatic` selected; nil for other kinds of
    /// indexes.
    public let fullText: FullTextIndexConfiguration?
    /// A Boolean value that says whether there is a stemmer for ``language``; without a stemmer, only words in the same
    /// form match.
    public var isLanguageKnown: Bool {
        language.map { WordSettings.algorithms.contains(WordSettings.languageName($0)) } ?? false
    }
}
