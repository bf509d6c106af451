internal import SealiteJSON

/// The request `getCollections`, which names the collections that a connection replicates. All later requests refer to
/// these by index.
package struct GetCollectionsRequest: Sendable, Hashable {
    /// A collection, and the ID of the active side's replication checkpoint for it.
    package struct Item: Sendable, Hashable {
        /// The name of the collection as `scope.collection`, or as `collection` in the default scope.
        package var path: String
        package var checkpointID: String

        package init(path: String, checkpointID: String) {
            self.path = path
            self.checkpointID = checkpointID
        }
    }

    /// The collections, at least one.
    package var items: [Item]
    /// The public UUID of the active side's database, which Couchbase Lite sends along; nil if none is sent.
    package var databaseUUID: String?
    /// A Boolean value that says whether the reply is to name all collections of the passive side. Only a passive side
    /// that is this library names them.
    package var asksForNames = false

    /// The name of the property with which a request asks for the names of all collections, and in which the reply has
    /// them. Other programs ignore it.
    static let namesProperty = "sealiteCollections"

    package init(items: [Item], databaseUUID: String? = nil, asksForNames: Bool = false) {
        self.items = items
        self.databaseUUID = databaseUUID
        self.asksForNames = asksForNames
    }

    /// Reads a peer's request.
    ///
    /// - Throws: `notJSON`, `wrongShape`, `tooLarge`.
    package init(_ request: BLIPRequest, limits: MessageLimits) throws(MessageError) {
        var ids: [String]?
        var paths: [String]?
        var reader = JSONReader(request.body)
        try reader.object { (name, reader) throws(MessageError) in
            switch name {
            case "checkpoint_ids": ids = try Self.strings(&reader, limits)
            case "collections": paths = try Self.strings(&reader, limits)
            default: _ = try reader.rawValue()
            }
        }
        try reader.end()
        guard let ids, !ids.isEmpty else { throw Self.invalid("no checkpoint_ids") }
        guard let paths, !paths.isEmpty else { throw Self.invalid("no collections") }
        guard ids.count == paths.count else { throw Self.invalid("mismatched checkpoint_ids and collections") }
        guard Set(paths).count == paths.count else { throw Self.invalid("duplicate collection path") }
        items = zip(paths, ids).map { Item(path: $0, checkpointID: $1) }
        databaseUUID = request.properties["uuid"]
        asksForNames = request.properties[Self.namesProperty] != nil
    }

    /// The request to send.
    package var message: BLIPOutgoing {
        var properties = BLIPProperties(.getCollections, collection: nil)
        properties["uuid"] = databaseUUID
        if asksForNames { properties[Self.namesProperty] = "?" }
        var writer = JSONWriter()
        writer.object { writer in
            writer.name("checkpoint_ids")
            writer.array { writer in for item in items { writer.string(item.checkpointID) } }
            writer.name("collections")
            writer.array { writer in for item in items { writer.string(item.path) } }
        }
        return BLIPOutgoing(properties, body: writer.bytes)
    }

    private static func strings(
        _ reader: inout JSONReader, _ limits: MessageLimits
    ) throws(MessageError) -> [String] {
        var strings: [String] = []
        try reader.array(limit: limits.collectionCount) { (reader) throws(MessageError) in
            strings.append(try reader.string())
        }
        return strings
    }

    private static func invalid(_ reason: String) -> MessageError {
        MessageError(.wrongShape, "Invalid getCollections message: \(reason)")
    }
}
