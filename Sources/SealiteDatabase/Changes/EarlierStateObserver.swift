internal import SealiteJSON

/// Records the states of documents before a transaction changes them, if a subscription to their collection needs them.
final class EarlierStateObserver: RowObserver {
    private var noted: EarlierState?

    var readsOldBody: Bool { true }

    func prepare(_ change: borrowing RowChange, in transaction: Transaction) -> Bool {
        let old = change.old.flatMap { $0.flags.contains(.deleted) ? nil : $0.body ?? Document.emptyBody }
        noted = EarlierState(
            id: change.id, oldSequence: change.old?.sequence, body: old,
            newSequence: change.new?.sequence ?? transaction.state(of: change.collection)?.lastSequence ?? 0,
            isReplacement: transaction.isReplacing)
        return true
    }

    func apply(_ change: borrowing RowChange, in transaction: Transaction) {
        if let noted { transaction.note(noted, in: change.collection) }
        noted = nil
    }
}
