/// The resolution of a conflict. In all cases, the remote's revision stays in the document's history: any resolution
/// except `remote` is a new revision, a child of the remote's, and is pushed like an ordinary change.
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
