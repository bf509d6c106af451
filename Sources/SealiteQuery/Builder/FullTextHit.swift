/// A hit of a search text in a document: the place of a word or phrase that matches.
public struct FullTextHit: Sendable, Equatable {
    /// The name of the full-text index's column in which the hit is.
    public let column: String
    /// The number, from 0, of the search text's word or phrase that matches.
    public let term: Int
    /// The range of the hit in the column's text, in bytes of UTF-8.
    public let range: Range<Int>
}
