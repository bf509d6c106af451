internal import SealiteDatabase
internal import SealiteMongo
internal import SealiteReplicator
internal import SealiteValues

struct ClosureListener: ErrorListener {
    let body: @Sendable (MobileSyncError, BSON?) async -> Void

    func on(error: MobileSyncError, forDocumentID documentID: BSON?) async { await body(error, documentID) }
}
