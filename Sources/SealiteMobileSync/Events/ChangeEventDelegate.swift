internal import SealiteDatabase
internal import SealiteMongo
public import SealiteValues

/// Receives the changes of the synced documents of a collection.
public protocol ChangeEventDelegate<Document>: Sendable {
    /// The type of the documents.
    associatedtype Document: Codable & Sendable

    /// Called for a local write when it is stored and again when the remote has received it, and for each change from
    /// the remote. The next call follows when this one returns.
    func onEvent(documentID: BSON, event: ChangeEvent<Document>) async
}
