/// The part of a database that keeps the table of the blobs that documents refer to.
final class BlobReferences: DatabasePart {
    func observers(
        of collection: Collection, _ last: Collection.LastRow, in transaction: Transaction
    ) -> [any RowObserver] { [BlobReferenceObserver()] }
}
