internal import SealiteRevisions

/// What a document that is edited was read or last saved as. A save counts once its transaction came to stay: after a
/// rollback it is again what it was before.
struct SaveHistory: Sendable {
    /// What the next save replaces.
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

    /// What was there before the transaction.
    private final class Earlier: Sendable {
        let history: SaveHistory
        init(_ history: SaveHistory) { self.history = history }
    }

    private var base: Base?
    /// The transaction of the save; nil for what was read.
    private var fate: TransactionFate?
    private var earlier: Earlier?

    init() {}

    init(_ document: Document) { base = Base(document) }

    /// What it is now; nil for a document that never was saved.
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

    /// Forgets what was undone, what can't be undone any more, and all but the last of what is undone together: the history
    /// is never longer than transactions are nested.
    private mutating func tidy() {
        while let undone = fate, undone.isUndone { self = earlier?.history ?? SaveHistory() }
        fate = fate?.pending
        if fate == nil { earlier = nil }
        while let before = earlier?.history, before.fate?.pending === fate { earlier = before.earlier }
    }
}

extension SaveHistory {
    /// How many states it holds.
    var length: Int { 1 + (earlier?.history.length ?? 0) }
}
