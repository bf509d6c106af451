internal import Synchronization

/// The outcome of a transaction or savepoint: pending, committed or rolled back. Documents that were saved in it refer
/// to it.
final class TransactionOutcome: Sendable {
    private let outer: TransactionOutcome?
    private let wasUndone = Atomic<Bool>(false)
    private let hasEnded = Atomic<Bool>(false)

    init(inside outer: TransactionOutcome? = nil) { self.outer = outer }

    /// Records that the transaction was rolled back.
    func undo() { wasUndone.store(true, ordering: .releasing) }

    /// Records that the transaction was committed, or that its changes became those of the outer one.
    func end() { hasEnded.store(true, ordering: .releasing) }

    /// A Boolean value that says whether the transaction, or one that contains it, was rolled back.
    var isUndone: Bool { wasUndone.load(ordering: .acquiring) || outer?.isUndone ?? false }

    /// The innermost transaction that is still open and can undo the changes; nil once none can.
    var pending: TransactionOutcome? { hasEnded.load(ordering: .acquiring) ? outer?.pending : self }
}
