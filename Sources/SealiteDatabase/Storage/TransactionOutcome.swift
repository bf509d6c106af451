internal import Synchronization

/// The outcome of a transaction or savepoint: pending, committed or rolled back. The objects of documents that were
/// saved in the transaction refer to it.
final class TransactionOutcome: Sendable {
    private let outer: TransactionOutcome?
    private let wasUndone = Atomic<Bool>(false)
    private let hasEnded = Atomic<Bool>(false)

    init(inside outer: TransactionOutcome? = nil) { self.outer = outer }

    /// Records that the transaction was rolled back.
    func undo() {
        assert(!hasEnded.load(ordering: .relaxed), "what was committed isn't rolled back")
        wasUndone.store(true, ordering: .releasing)
    }

    /// Records that the transaction was committed, or that the savepoint was released, whose changes then belong to the
    /// outer transaction.
    func end() {
        assert(!wasUndone.load(ordering: .relaxed), "what was rolled back isn't committed")
        hasEnded.store(true, ordering: .releasing)
    }

    /// A Boolean value that says whether this transaction or savepoint, or one that contains it, was rolled back.
    var isUndone: Bool { wasUndone.load(ordering: .acquiring) || outer?.isUndone ?? false }

    /// The innermost transaction or savepoint, this one or one that contains it, that is still open, so that its
    /// rollback would undo the changes; nil if none is open.
    var pending: TransactionOutcome? { hasEnded.load(ordering: .acquiring) ? outer?.pending : self }
}
