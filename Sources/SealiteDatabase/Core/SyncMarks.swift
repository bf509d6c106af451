/// The state of per-document sync in one transaction.
struct SyncMarks {
    /// A Boolean value that says whether documents are written for the sync: insertions join the set.
    var isWriting = false
    /// The remote's side of the conflict that is being resolved.
    var theirs: (body: [UInt8], isDeleted: Bool)?
    /// A Boolean value that says whether someone waits for what was stored.
    var hasNews = false
    /// Which collections, by their numbers, have synced documents, as far as it was asked.
    var synced: [Int: Bool] = [:]
}
