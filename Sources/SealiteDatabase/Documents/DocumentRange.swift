/// A range of a collection's documents, and the order in which it is read.
public struct DocumentRange: Sendable {
    /// The order of documents.
    public enum Order: Sendable {
        /// By the UTF-8 bytes of their ids.
        case id
        /// By the bytes of their ids, descending.
        case idDescending
        /// By sequence, the least recently changed document first.
        case sequence
    }

    /// The order. Default by id.
    public var order: Order
    /// The least id, inclusive; nil for no bound.
    public var from: String?
    /// The greatest id, inclusive; nil for no bound.
    public var through: String?
    /// The sequence after which the range's documents changed; 0 for all documents.
    public var since: UInt64
    /// A Boolean value that says whether the range includes tombstones. Default false.
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
