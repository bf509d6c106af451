internal import SealiteDatabase
internal import SealiteMongo
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
