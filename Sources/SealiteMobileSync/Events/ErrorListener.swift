internal import SealiteDatabase
internal import SealiteMongo
public import SealiteValues

/// Receives the errors that keep documents from being synced.
public protocol ErrorListener: Sendable {
    /// Called for an error.
    ///
    /// - Parameters:
    ///   - error: the error.
    ///   - documentID: the `_id` of the document; nil if the error concerns the whole collection.
    func on(error: MobileSyncError, forDocumentID documentID: BSON?) async
}
