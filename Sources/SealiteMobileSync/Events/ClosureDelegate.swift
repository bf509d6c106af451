internal import SealiteDatabase
internal import SealiteMongo
internal import SealiteReplicator
internal import SealiteValues

/// A change event delegate that calls a closure.
struct ClosureDelegate<Document: Codable & Sendable>: ChangeEventDelegate {
    let body: @Sendable (BSON, ChangeEvent<Document>) async -> Void

    func onEvent(documentID: BSON, event: ChangeEvent<Document>) async { await body(documentID, event) }
}
