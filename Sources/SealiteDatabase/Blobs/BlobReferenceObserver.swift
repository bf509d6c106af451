/// Maintains the table that lists, for each document, the digests of the blobs to which it refers.
final class BlobReferenceObserver: RowObserver {
    var readsOldBody: Bool { false }

    func prepare(_ change: borrowing RowChange, in transaction: Transaction) -> Bool {
        !change.digests.isEmpty || change.old?.flags.contains(.hasBlobs) ?? false
    }

    func apply(_ change: borrowing RowChange, in transaction: Transaction) throws {
        try transaction.setReferences(change.digests, of: change.id, in: change.collection)
    }
}
