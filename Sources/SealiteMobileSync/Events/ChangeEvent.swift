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

/// The member `__stitch_sync_version`, in which MongoDB Stitch stored document versions at the remote. It is removed
/// from incoming documents and added to outgoing ones, so that applications never see it.
enum StitchVersion {
    static let member = "__stitch_sync_version"
    private static let protocolVersion: Int64 = 1

    /// Removes the version member from incoming properties.
    ///
    /// - Returns: the properties without the member, and the document's version; nil if they don't have the member.
    /// - Throws: ``MobileSyncError`` for a version that isn't an object or is one of another protocol, and
    ///   `invalidJSON` for damaged properties.
    static func take(from json: [UInt8]) throws -> (json: [UInt8], version: SyncVersion?) {
        guard let (rest, object) = try MemberJSON.take(member, from: json) else { return (json, nil) }
        guard case .document(let version)? = SyncedBody.document(object, id: "version")[member] else {
            throw MobileSyncError(
                .decodingError,
                "the member \(member) of the remote's document isn't an object; the document is no longer synced")
        }
        if let spoken = version["spv"], integer(spoken) != protocolVersion {
            throw MobileSyncError(
                .unsupportedProtocolVersion,
                "the member \(member).spv of the remote's document isn't \(protocolVersion), the known protocol version; the document is no longer synced"
            )
        }
        var id = ""
        if case .string(let text)? = version["id"] { id = text }
        return (rest, SyncVersion(id: id, number: max(version["v"].flatMap(integer) ?? 0, 0)))
    }

    /// Returns properties to which the version member is added; if `isDelta` is true, a delta that replaces the member as
    /// well.
    static func add(_ version: SyncVersion, to json: [UInt8], isDelta: Bool = false) -> [UInt8] {
        let id = version.id.isEmpty ? "" : "\"id\":\(BSON.string(version.id).extendedJSON(.relaxed)),"
        let value = "{\"spv\":\(protocolVersion),\(id)\"v\":\(version.number)}"
        return MemberJSON.adding(member, isDelta ? "[\(value)]" : value, to: json)
    }

    /// Returns the update description of the difference between two documents.
    static func difference(from old: MongoDocument, to new: MongoDocument) -> UpdateDescription {
        SyncedBody.difference(from: old, to: new, except: member)
    }

    private static func integer(_ value: BSON) -> Int64? {
        switch value {
        case .int32(let number): Int64(number)
        case .int64(let number): number
        case .double(let number): Int64(exactly: number)
        default: nil
        }
    }
}

/// Removes the member `__stitch_sync_version`, which only documents at the remote have, from documents that are written
/// locally in a collection with per-document sync.
struct StitchVersionGuard: DocumentGuard {
    func check(of collection: Collection) throws -> (any DocumentSaveCheck)? {
        try SyncedDocuments(collection).space() == nil ? nil : Check()
    }

    private struct Check: DocumentSaveCheck {
        func check(_ save: inout DocumentSave) throws {
            if let body = MemberJSON.removed(StitchVersion.member, from: save.body) { save.body = body }
        }

        func note(_ save: DocumentSave) {}
    }
}
