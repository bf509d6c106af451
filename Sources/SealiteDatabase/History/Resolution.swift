/// The resolution of a conflict. Whatever is chosen, the remote's revision stays in the document's history: anything
/// but `remote` is a new revision that follows it, and is pushed as an ordinary change.
public enum Resolution: Sendable {
    /// The remote's document, or its deletion.
    case remote
    /// The local document, or its deletion.
    case local
    /// Other properties; the document's id must be the conflict's.
    case merged(MutableDocument)
    /// The document is deleted.
    case deleted
}
