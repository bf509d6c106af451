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

/// The part of a database that keeps the table of documents' references to blobs: it adds an observer of changed rows
/// to each transaction.
final class BlobReferences: DatabasePart {
    func observers(
        of collection: Collection, _ last: Collection.LastRow, in transaction: Transaction
    ) -> [any RowObserver] { [BlobReferenceObserver()] }
}
