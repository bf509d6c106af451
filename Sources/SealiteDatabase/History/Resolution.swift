/// The resolution of a conflict. In all cases, the remote's revision stays in the document's history: any resolution
/// except `remote` is a new revision, which descends from the remote's and is pushed like an ordinary change.
public enum Resolution: Sendable {
    /// The remote's version of the document wins, also if it is a deletion.
    case remote
    /// The local version of the document wins, also if it is a deletion.
    case local
    /// The document gets these properties, for example a merge of both versions. The id must be that of the document in
    /// conflict.
    case merged(MutableDocument)
    /// The document is deleted.
    case deleted
}
