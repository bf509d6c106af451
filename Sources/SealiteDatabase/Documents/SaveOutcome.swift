/// The outcome of a save or deletion.
public enum SaveOutcome: Sendable {
    /// The change was stored. The value is the document as stored, a tombstone after a deletion.
    case saved(Document)
    /// Nothing was stored, because the document was changed since it was read, or because a live document has the id of
    /// a new one. The value is the stored document, nil if it was deleted or purged.
    case conflict(existing: Document?)

    /// A Boolean value that says whether the change was stored.
    public var isSaved: Bool { if case .saved = self { true } else { false } }
}
