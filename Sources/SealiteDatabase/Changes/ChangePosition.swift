/// A position in a collection's history: each change of its documents raises one of the two numbers.
package struct ChangePosition: Sendable, Equatable {
    /// The sequence of the last change.
    package var sequence: Int64
    /// The number of purges in the collection since it was created.
    package var purges: Int64

    package init(sequence: Int64, purges: Int64) {
        self.sequence = sequence
        self.purges = purges
    }
}
