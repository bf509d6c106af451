internal import SealiteDatabase
internal import SealiteMongo
internal import SealiteReplicator
internal import SealiteValues

/// An error listener that calls a closure.
struct ClosureListener: ErrorListener {
    let body: @Sendable (MobileSyncError, BSON?) async -> Void

    func on(error: MobileSyncError, forDocumentID documentID: BSON?) async { await body(error, documentID) }
}
