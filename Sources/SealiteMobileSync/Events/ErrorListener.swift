public import SealiteValues

/// Receives the errors of the sync of a collection: those that keep documents from being synced, and those of changes
/// whose document can't be read.
public protocol ErrorListener: Sendable {
    /// Called for each error.
    ///
    /// - Parameters:
    ///   - error: the error.
    ///   - documentID: the `_id` of the document; nil if the error concerns the whole collection.
    func on(error: MobileSyncError, forDocumentID documentID: BSON?) async
}

/// An error listener that calls a closure.
struct ClosureListener: ErrorListener {
    let body: @Sendable (MobileSyncError, BSON?) async -> Void

    func on(error: MobileSyncError, forDocumentID documentID: BSON?) async { await body(error, documentID) }
}

/// Receives the changes of the synced documents of a collection.
public protocol ChangeEventDelegate<Document>: Sendable {
    /// The type of the documents.
    associatedtype Document: Codable & Sendable

    /// Called for a local write when it is stored and again when the remote has received it, and for each change from
    /// the remote. The next call follows when this one returns.
    func onEvent(documentID: BSON, event: ChangeEvent<Document>) async
}

/// A change event delegate that calls a closure.
struct ClosureDelegate<Document: Codable & Sendable>: ChangeEventDelegate {
    let body: @Sendable (BSON, ChangeEvent<Document>) async -> Void

    func onEvent(documentID: BSON, event: ChangeEvent<Document>) async { await body(documentID, event) }
}
