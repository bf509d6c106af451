/// The behavior of a save or deletion if the document was changed since it was read.
public enum ConcurrencyControl: Sendable {
    /// The change replaces the stored document.
    case lastWriteWins
    /// Nothing is stored, and the outcome is a conflict.
    case failOnConflict
}

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
