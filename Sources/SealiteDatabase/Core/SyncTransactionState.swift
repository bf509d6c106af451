/// The state of per-document sync in one transaction.
struct SyncTransactionState {
    /// A Boolean value that says whether the transaction writes through per-document sync: inserted documents become
    /// synced documents.
    var isWriting = false
    /// The remote's revision in the conflict that is being resolved: its properties in JSONB, and whether it deletes
    /// the document; nil if no conflict is being resolved.
    var theirs: (body: [UInt8], isDeleted: Bool)?
    /// The changes that the transaction has made to the per-document sync of collections, by the collections' numbers.
    private(set) var news: [Int: SyncChanges] = [:]
    /// A Boolean value for each collection, by its number, that says whether the collection takes part, or took part,
    /// in per-document sync; only for collections for which this was determined.
    var synced: [Int: Bool] = [:]

    /// Records changes to the per-document sync of a collection, in addition to those recorded before.
    mutating func note(_ new: SyncChanges, of collection: Collection) {
        news[collection.number, default: []].insert(new)
    }
}
