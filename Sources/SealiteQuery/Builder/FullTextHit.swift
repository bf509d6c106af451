internal import SealiteDatabase
internal import SealiteQueryLanguage

/// The position of a hit of a full-text query.
public struct FullTextHit: Sendable, Equatable {
    /// The name of the column.
    public let column: String
    /// The number of the word or phrase in the query, from 0.
    public let term: Int
    /// The range of the hit in the column's UTF-8 bytes.
    public let range: Range<Int>
}
