internal import SealiteDatabase

/// The special properties of a document that a filter examines, or that was replicated.
public struct DocumentFlags: OptionSet, Sendable, Hashable {
    /// The flags as bits.
    public let rawValue: Int

    /// Creates flags from bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The document is deleted.
    public static let deleted = DocumentFlags(rawValue: 1)
    /// Access to the document was lost. If the pull filter returns true for the document, it is purged.
    public static let accessRemoved = DocumentFlags(rawValue: 2)
}
