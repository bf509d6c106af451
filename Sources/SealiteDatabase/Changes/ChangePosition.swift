/// A position in the order of a collection's changes: each save or deletion raises `sequence`, each purge raises
/// `purges`.
package struct ChangePosition: Sendable, Equatable {
    /// The sequence of the last save or deletion up to this position.
    package var sequence: Int64
    /// The number of purges in the collection from its creation to this position.
    package var purges: Int64

    package init(sequence: Int64, purges: Int64) {
        self.sequence = sequence
        self.purges = purges
    }
}
