/// The behavior of a save or deletion if the document was changed since it was read.
public enum ConcurrencyControl: Sendable {
    /// The change replaces the stored document.
    case lastWriteWins
    /// Nothing is stored, and the outcome is a conflict.
    case failOnConflict
}
