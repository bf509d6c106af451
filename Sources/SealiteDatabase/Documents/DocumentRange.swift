/// A range of a collection's documents, and the order in which it is read.
public struct DocumentRange: Sendable {
    /// The order in which the documents of a range are read.
    public enum Order: Sendable {
        /// In the order of the UTF-8 bytes of the documents' ids, ascending.
        case id
        /// In the order of the UTF-8 bytes of the documents' ids, descending.
        case idDescending
        /// In the order of the documents' last changes, the least recently changed document first.
        case sequence
    }

    /// The order in which the documents are read. The default is by id, ascending.
    public var order: Order
    /// The least id of a document in the range, inclusive; nil for no bound.
    public var from: String?
    /// The greatest id of a document in the range, inclusive; nil for no bound.
    public var through: String?
    /// The sequence after which the range's documents changed; 0 for all documents.
    public var since: UInt64
    /// A Boolean value that says whether the range includes deleted documents. Default false.
    public var includingDeleted: Bool

    /// Creates a range of all documents, or only of those within the given bounds.
    public init(
        order: Order = .id, from: String? = nil, through: String? = nil, since: UInt64 = 0,
        includingDeleted: Bool = false
    ) {
        self.order = order
        self.from = from
        self.through = through
        self.since = since
        self.includingDeleted = includingDeleted
    }

    /// Returns the range of documents whose ids start with a text.
    public static func prefix(_ text: String) -> DocumentRange {
        DocumentRange(from: text, through: text + "\u{10FFFF}")
    }
}
