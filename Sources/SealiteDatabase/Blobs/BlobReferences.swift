/// The part of a database that keeps the table of documents' references to blobs: it adds an observer of changed rows
/// to each transaction.
final class BlobReferences: DatabasePart {
    func observers(
        of collection: Collection, _ last: Collection.LastRow, in transaction: Transaction
    ) -> [any RowObserver] { [BlobReferenceObserver()] }
}
