internal import Synchronization

/// Whether what a transaction, or a nested one, saved came to stay. Documents that were saved in it hold on to it.
final class TransactionFate: Sendable {
    private let outer: TransactionFate?
    private let wasUndone = Atomic<Bool>(false)
    private let hasEnded = Atomic<Bool>(false)

    init(inside outer: TransactionFate? = nil) { self.outer = outer }

    /// Notes that it was rolled back.
    func undo() { wasUndone.store(true, ordering: .releasing) }

    /// Notes that it ended well: it was committed, or its changes are those of the outer one now.
    func end() { hasEnded.store(true, ordering: .releasing) }

    /// Whether it, or one that it is nested in, was rolled back.
    var isUndone: Bool { wasUndone.load(ordering: .acquiring) || outer?.isUndone ?? false }

    /// The transaction that its changes depend on still; nil once nothing can undo them.
    var pending: TransactionFate? { hasEnded.load(ordering: .acquiring) ? outer?.pending : self }
}
