internal import SealiteJSON

/// The request `subChanges`, which subscribes to the changes of the passive side.
package struct SubChangesRequest: Sendable, Hashable {
    /// The last processed sequence, after which the changes begin; nil for all changes.
    package var since: RemoteSequence?
    /// A Boolean value that says whether the subscription continues after all existing changes are announced.
    package var isContinuous = false
    /// The maximum number of rows in each list of changes; nil if the request names none.
    package var batch: Int?
    /// A Boolean value that says whether tombstones are left out until all existing changes are announced.
    package var isActiveOnly = false
    /// The channels of a Sync Gateway whose changes are wanted; nil for all.
    package var channels: [String]?
    /// A Boolean value that says whether the passive side announces documents to which the user lost access.
    package var wantsRevocations = false
    /// A Boolean value that says whether the passive side sends the current revision of a document in place of a
    /// requested one that is obsolete.
    package var wantsReplacements = false
    /// The versioning of the active side's documents, `rev-trees` or `version-vectors`; nil if the request doesn't name
    /// it.
    package var versioning: String?

    /// Returns the name of a versioning in the request: `version-vectors` or `rev-trees`.
    static func versioning(hasVectors: Bool) -> String { hasVectors ? "version-vectors" : "rev-trees" }

    /// The IDs of the only documents to announce; nil for all.
    package var documentIDs: [String]?
    /// The name of the filter that a received request specifies, which may be the one for channels; nil if it specifies
    /// none.
    package private(set) var filter: String?
    package var collection: Int?

    package init(since: RemoteSequence? = nil, collection: Int? = nil) {
        self.since = since
        self.collection = collection
    }

    private static let channelFilter = "sync_gateway/bychannel"

    /// Reads a peer's request. As in Couchbase Lite, a `since` of unknown form and a body that isn't JSON are ignored.
    ///
    /// - Throws: `badCollection`, `tooLarge`.
    package init(_ request: BLIPRequest, limits: MessageLimits) throws(MessageError) {
        let properties = request.properties
        since = properties["since"].flatMap { try? RemoteSequence(json: $0, limits: limits) }
        isContinuous = properties.flag("continuous")
        batch = properties.number("batch")
        isActiveOnly = properties.flag("activeOnly")
        wantsRevocations = properties.flag("revocations")
        wantsReplacements = properties.flag("sendReplacementRevs")
        versioning = properties["versioning"]
        filter = properties["filter"]
        if filter == Self.channelFilter { channels = properties["channels"]?.split(separator: ",").map(String.init) }
        collection = try properties.collection()
        documentIDs = try Self.documentIDs(request.body, limits)
    }

    /// The request to send.
    package var message: BLIPOutgoing {
        var properties = BLIPProperties(.subChanges, collection: collection)
        properties["since"] = since?.json
        properties.set("continuous", if: isContinuous)
        properties["batch"] = batch.map { String($0) }
        properties.set("sendReplacementRevs", if: wantsReplacements)
        properties["versioning"] = versioning
        properties.set("activeOnly", if: isActiveOnly)
        properties.set("revocations", if: wantsRevocations)
        if let channels {
            properties["filter"] = Self.channelFilter
            properties["channels"] = channels.joined(separator: ",")
        }
        guard let documentIDs else { return BLIPOutgoing(properties) }
        var writer = JSONWriter()
        writer.object { writer in
            writer.name("docIDs")
            writer.array { writer in for id in documentIDs { writer.string(id) } }
        }
        return BLIPOutgoing(properties, body: writer.bytes)
    }

    private static func documentIDs(
        _ body: [UInt8], _ limits: MessageLimits
    ) throws(MessageError) -> [String]? {
        var ids: [String]?
        var reader = JSONReader(body)
        do {
            try reader.object { (name, reader) throws(MessageError) in
                guard name == "docIDs" else {
                    _ = try reader.rawValue()
                    return
                }
                var list: [String] = []
                try reader.array(limit: limits.rowCount) { (reader) throws(MessageError) in
                    list.append(try reader.string())
                }
                ids = list
            }
        } catch  where error.code == .tooLarge {
            throw error
        } catch {
            return nil
        }
        return ids
    }
}
