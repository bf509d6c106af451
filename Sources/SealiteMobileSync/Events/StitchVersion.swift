internal import SealiteDatabase
internal import SealiteMongo
internal import SealiteValues

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

    /// Returns outgoing properties to which the version member is added. Its number is one greater than the number in
    /// `version`, the version at the remote.
    static func add(after version: SyncVersion, to json: [UInt8]) -> [UInt8] {
        let id = version.id.isEmpty ? "" : "\"id\":\(BSON.string(version.id).extendedJSON(.relaxed)),"
        let value = "{\"spv\":\(protocolVersion),\(id)\"v\":\(min(version.number, .max - 1) + 1)}"
        return MemberJSON.adding(member, value, to: json)
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
