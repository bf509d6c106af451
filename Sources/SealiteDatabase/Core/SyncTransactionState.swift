/// The state of per-document sync in one transaction.
struct SyncTransactionState {
    /// A Boolean value that says whether the transaction writes through per-document sync: inserted documents become
    /// synced documents.
    var isWriting = false
    /// The remote's side of the conflict that is being resolved.
    var theirs: (body: [UInt8], isDeleted: Bool)?
    /// The changes to the per-document sync of collections, by the collections' numbers.
    private(set) var news: [Int: SyncChanges] = [:]
    /// A Boolean value for each collection, by its number, that says whether it has synced documents; only for collections that were asked about.
    var synced: [Int: Bool] = [:]

    /// Adds to the changes to the per-document sync of a collection.
    mutating func note(_ new: SyncChanges, of collection: Collection) {
        news[collection.number, default: []].insert(new)
    }
}
