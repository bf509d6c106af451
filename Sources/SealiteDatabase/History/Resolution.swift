/// The resolution of a conflict. Whatever is chosen, the remote's revision stays in the document's history: anything
/// but `remote` is a new revision that follows it, and is pushed as an ordinary change.
public enum Resolution: Sendable {
    /// The document as the remote has it.
    case remote
    /// The document as it is here.
    case local
    /// Other properties; the document's id must be the conflict's.
    case merged(MutableDocument)
    /// The document is deleted.
    case deleted
}
