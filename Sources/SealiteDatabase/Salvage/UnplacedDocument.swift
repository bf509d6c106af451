internal import SealiteFile
internal import SealiteMaintenance

/// A document's row in a damaged file that couldn't be restored to its collection.
public struct UnplacedDocument: Sendable, Equatable, Encodable {
    /// A reason for which a document isn't in its collection.
    public enum Reason: String, Sendable, Encodable {
        /// The document's collection isn't known. The document is in a collection of the scope `recovered`.
        case unknownCollection
        /// The collection has a newer state of the document, or has another document with the same sequence. The row is
        /// in `lost_and_found`.
        case superseded
        /// No index lists the document: it was deleted or changed, and its page was freed. The row is in
        /// `lost_and_found`.
        case deleted
        /// The document's content doesn't follow the format. The row is in `lost_and_found`.
        case unreadable
    }

    /// The document's id.
    public let id: String
    /// The document's sequence.
    public let sequence: Int64
    /// The page of the damaged file on which the document's row begins; 0 for a row that the salvage moved out of its
    /// collection's table.
    public let page: UInt32
    /// The reason for which the document isn't in its collection.
    public let reason: Reason
    /// The collection that now contains the document, as `scope.name`; nil for `lost_and_found`.
    public let collection: String?
}
