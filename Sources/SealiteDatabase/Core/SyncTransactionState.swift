/// The state of per-document sync in one transaction.
struct SyncTransactionState {
    /// A Boolean value that says whether documents are written for the sync: insertions join the set.
    var isWriting = false
    /// The remote's side of the conflict that is being resolved.
    var theirs: (body: [UInt8], isDeleted: Bool)?
    /// The news of collections, by their numbers.
    private(set) var news: [Int: SyncChanges] = [:]
    /// A Boolean value for each collection, by its number, that says whether it has synced documents; only for collections that were asked about.
    var synced: [Int: Bool] = [:]

    /// Adds to the news of a collection.
    mutating func note(_ new: SyncChanges, of collection: Collection) {
        news[collection.number, default: []].insert(new)
    }
}
