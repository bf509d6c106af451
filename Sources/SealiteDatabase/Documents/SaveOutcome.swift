/// The outcome of a save or deletion.
public enum SaveOutcome: Sendable {
    /// Stored; the value is the document as stored.
    case saved(Document)
    /// Not stored, because the document was changed since it was read. The value is the stored document, nil if it was
    /// purged.
    case conflict(existing: Document?)

    /// A Boolean value that says whether the change was stored.
    public var isSaved: Bool { if case .saved = self { true } else { false } }
}
