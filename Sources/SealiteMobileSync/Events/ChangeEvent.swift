internal import SealiteDatabase
public import SealiteMongo
public import SealiteValues

/// A change of a synced document.
public struct ChangeEvent<T: Codable & Sendable>: Codable, Sendable {
    /// The number of the event, unique in its collection. An event that is delivered again, after the program was killed, has the same number.
    public let id: UInt64
    /// The kind of the change.
    public let operationType: OperationType
    /// The document as it has become; nil for one that was deleted.
    public let fullDocument: T?
    /// The collection.
    public let ns: ChangeNamespace
    /// The `_id` of the document, as the member of that name.
    public let documentKey: MongoDocument
    /// The changed and removed members of the document; nil for other operations than updates.
    public let updateDescription: UpdateDescription?
    /// True where the remote hasn't got the change.
    public let hasUncommittedWrites: Bool

    /// The `_id` of the document.
    public var documentID: BSON { documentKey["_id"] ?? .null }
}

extension ChangeEvent {
    /// The event of stored bodies.
    init(
        _ number: UInt64, _ documentID: String, _ operation: SyncOperation, isCommitted: Bool, before: [UInt8]?,
        after: [UInt8]?, in collection: Collection
    ) throws {
        let document = after.map { SyncedBody.document($0, id: documentID) }
        id = number
        ns = ChangeNamespace(db: collection.scopeName, coll: collection.name)
        documentKey = ["_id": DocumentKey.value(of: documentID)]
        hasUncommittedWrites = !isCommitted
        fullDocument = try document.map { try SyncedBody.decode($0, as: T.self) }
        operationType =
            switch operation {
            case .insert: .insert
            case .update: .update
            case .replace: .replace
            case .delete: .delete
            }
        if operation == .update, let before, let document {
            updateDescription = StitchVersion.difference(
                from: SyncedBody.document(before, id: documentID), to: document)
        } else {
            updateDescription = nil
        }
    }
}

/// Gets the changes of the synced documents of a collection.
public protocol ChangeEventDelegate<Document>: Sendable {
    /// The type of the documents.
    associatedtype Document: Codable & Sendable

    /// Gets a change: a local write when it is stored, again when the remote has it, and what the remote brought. The next one comes when this returns.
    func onEvent(documentID: BSON, event: ChangeEvent<Document>) async
}

/// Gets what keeps documents from being synced.
public protocol ErrorListener: Sendable {
    /// Gets an error.
    ///
    /// - Parameters:
    ///   - error: what went wrong.
    ///   - documentID: the `_id` of the document; nil where the whole collection is concerned.
    func on(error: MobileSyncError, forDocumentID documentID: BSON?) async
}
