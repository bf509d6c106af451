internal import SealiteRevisions

/// The revisions that an edited document was read as or saved as. A save counts unless its transaction is rolled back;
/// after a rollback the document has the revision from before.
struct SaveHistory: Sendable {
    /// The revision that the next save replaces.
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

    /// The history before the transaction.
    private final class Earlier: Sendable {
        let history: SaveHistory
        init(_ history: SaveHistory) { self.history = history }
    }

    private var base: Base?
    /// The outcome of the save's transaction; nil for a document that was read.
    private var fate: TransactionFate?
    private var earlier: Earlier?

    init() {}

    init(_ document: Document) { base = Base(document) }

    /// The current base; nil for a document that was never saved.
    var current: Base? {
        guard let fate, fate.isUndone else { return base }
        return earlier?.history.current
    }

    /// Adds a save.
    mutating func add(_ document: Document, _ fate: TransactionFate) {
        if self.fate !== fate {
            tidy()
            earlier = base == nil ? nil : Earlier(self)
            self.fate = fate
        }
        base = Base(document)
    }

    /// Discards saves that were rolled back, saves that can no longer be rolled back, and all but the last save of a
    /// transaction. So the history is never longer than the nesting of transactions.
    private mutating func tidy() {
        while let undone = fate, undone.isUndone { self = earlier?.history ?? SaveHistory() }
        fate = fate?.pending
        if fate == nil { earlier = nil }
        while let before = earlier?.history, before.fate?.pending === fate { earlier = before.earlier }
    }
}

extension SaveHistory {
    /// The number of states in the history.
    var length: Int { 1 + (earlier?.history.length ?? 0) }
}
