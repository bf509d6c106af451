internal import SealiteDatabase
public import SealiteMongo
public import SealiteValues

/// A change of a synced document.
public struct ChangeEvent<T: Codable & Sendable>: Codable, Sendable {
    /// The number of the event, unique in its collection. An event that is delivered again, because the program was
    /// killed before its removal, has the same number. It is 0 for events that a conflict handler receives.
    public let id: UInt64
    /// The kind of the change.
    public let operationType: OperationType
    /// The document after the change; nil if it was deleted.
    public let fullDocument: T?
    /// The scope and the name of the document's collection.
    public let ns: ChangeNamespace
    /// A document with the changed document's `_id` as its only member.
    public let documentKey: MongoDocument
    /// The changed and removed members of the document; nil for operations other than updates, and if the document
    /// before the update isn't known.
    public let updateDescription: UpdateDescription?
    /// A Boolean value that says whether the remote hasn't received the change yet; false for changes from the remote.
    public let hasUncommittedWrites: Bool

    /// The `_id` of the document.
    public var documentID: BSON { documentKey["_id"] ?? .null }
}

extension ChangeEvent {
    /// Creates the event from the stored bodies of the document before and after the change; nil stands for a document
    /// that doesn't exist.
    ///
    /// - Throws: an error if the document can't be decoded as the collection's type.
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
