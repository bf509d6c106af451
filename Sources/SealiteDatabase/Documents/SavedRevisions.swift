internal import SealiteRevisions

/// The revisions that an edited document was read as or saved as. A save counts unless its transaction is rolled back;
/// after a rollback the document has the revision from before.
struct SavedRevisions: Sendable {
    /// A revision that the document was read as or saved as, with its collection and sequence.
    struct Base: Sendable {
        let collection: Collection
        let revision: RevisionID
        let sequence: Int64

        init(_ document: Document) {
            collection = document.collection
            revision = document.revision
            sequence = Int64(document.sequence)
        }
    }

    /// The revisions before the last save, in a class because a structure can't contain itself.
    private final class Earlier: Sendable {
        let history: SavedRevisions
        init(_ history: SavedRevisions) { self.history = history }
    }

    private var base: Base?
    /// The outcome of the save's transaction; nil for a document that was read.
    private var outcome: TransactionOutcome?
    private var earlier: Earlier?

    init() {}

    init(_ document: Document) { base = Base(document) }

    /// The revision that the next save replaces: the last one that wasn't rolled back; nil for a document that was
    /// never saved.
    var current: Base? {
        guard let outcome, outcome.isUndone else { return base }
        return earlier?.history.current
    }

    /// Records that the document was saved in the transaction with an outcome.
    mutating func add(_ document: Document, _ outcome: TransactionOutcome) {
        if self.outcome !== outcome {
            tidy()
            earlier = base == nil ? nil : Earlier(self)
            self.outcome = outcome
        }
        base = Base(document)
    }

    /// Discards saves that were rolled back, saves that can no longer be rolled back, and all but the last save of a
    /// transaction. So the history is never longer than the nesting of transactions.
    private mutating func tidy() {
        while let undone = outcome, undone.isUndone { self = earlier?.history ?? SavedRevisions() }
        outcome = outcome?.pending
        if outcome == nil { earlier = nil }
        while let before = earlier?.history, before.outcome?.pending === outcome { earlier = before.earlier }
    }
}

extension SavedRevisions {
    /// The number of states in the history: the current one, and those to which rollbacks return.
    var length: Int { 1 + (earlier?.history.length ?? 0) }
}
