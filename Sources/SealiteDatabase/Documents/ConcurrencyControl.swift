/// The behavior of a save or deletion if the stored document was changed since the document to save was read.
public enum ConcurrencyControl: Sendable {
    /// The save or deletion replaces the stored document, even if that was changed meanwhile.
    case lastWriteWins
    /// If the stored document was changed meanwhile, or a live document has the id of a new one, nothing is stored, and
    /// the outcome is a conflict.
    case failOnConflict
}
