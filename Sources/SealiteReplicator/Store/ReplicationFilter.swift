public import SealiteDatabase

/// The special properties of a document that a filter is asked about, or that was replicated.
public struct DocumentFlags: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: Int

    /// Flags from their bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The document is deleted.
    public static let deleted = DocumentFlags(rawValue: 1)
    /// The user may not read the document any more; a filter that agrees lets it be purged.
    public static let accessRemoved = DocumentFlags(rawValue: 2)
}

/// Says whether a document is replicated. It is called on threads of the replicator, at any time and perhaps more than once
/// for a revision, so it should depend on nothing but the document.
public typealias ReplicationFilter = @Sendable (Document, DocumentFlags) -> Bool
