internal import SealiteDatabase
internal import SealiteQueryLanguage

/// The position of a hit of a full-text query.
public struct FullTextHit: Sendable, Equatable {
    /// The name of the index's column in which the hit is.
    public let column: String
    /// The number of the query's word or phrase that matches, from 0.
    public let term: Int
    /// The range of the hit in the column's UTF-8 bytes.
    public let range: Range<Int>
}
