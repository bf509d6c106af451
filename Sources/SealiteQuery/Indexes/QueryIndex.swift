public import SealiteDatabase
internal import SealiteFunctions
internal import SealiteQueryLanguage

/// An index of a collection.
public struct QueryIndex: Sendable {
    /// The collection that has the index.
    public let collection: Collection
    /// The index's name, unique in the collection.
    public let name: String
    /// The path to the array whose elements an array index contains; nil for an index of another kind, and if the
    /// definition isn't available: because the index wasn't created from SQL++, or has to be rebuilt before it is used.
    public let path: String?
    /// The indexed expressions in SQL++; empty if whole elements are indexed, and if the definition isn't available:
    /// because the index wasn't created from SQL++, or has to be rebuilt before it is used.
    public let expressions: [String]
    /// The condition in SQL++ of a partial index; nil if all documents are in the index, and if the definition isn't
    /// available, as for ``expressions``.
    public let `where`: String?
    /// The language that the full-text index was created with; nil if it has none, and for other kinds of indexes.
    public let language: String?
    /// The definition of a full-text index, with the stop words that `automatic` selected; nil for other kinds of
    /// indexes, and if the index has to be rebuilt before it is used.
    public let fullText: FullTextIndexConfiguration?
    /// A Boolean value that says whether there is a stemmer for ``language``; without a stemmer, only words in the same
    /// form match. False if ``language`` is nil.
    public var isLanguageKnown: Bool {
        language.map { WordSettings.algorithms.contains(WordSettings.languageName($0)) } ?? false
    }
}
