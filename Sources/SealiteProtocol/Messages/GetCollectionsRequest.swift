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
}

extension GetCollectionsRequest {
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

/// The reply to `getCollections`: the passive side's state of each collection.
package struct GetCollectionsReply: Sendable, Hashable {
    /// The passive side's state of one collection.
    package enum Item: Sendable, Hashable {
        /// The collection doesn't exist.
        case missing
        /// The collection exists, without a replication checkpoint.
        case withoutCheckpoint
        /// The collection exists, with a replication checkpoint: a JSON object and its revision, which is nil if a
        /// peer's reply has none.
        case checkpoint(body: [UInt8], revision: String?)
    }

    /// One item for each requested collection, in the order of the request.
    package var items: [Item]
    /// The names of all collections of the passive side; nil if the request didn't ask for them, or the passive side
    /// isn't this library. At most 4,096 bytes of names are sent, so a long list is incomplete.
    package var names: [String]?

    /// The maximum number of bytes of all names in a reply, with the commas between them.
    private static let namesByteLimit = 4096

    package init(items: [Item], names: [String]? = nil) {
        self.items = items
        self.names = names
    }

    /// Reads a peer's reply to a request with `count` collections. The revision of a checkpoint is under `rev`
    /// (Couchbase Lite) or `_rev` (Sync Gateway).
    ///
    /// - Throws: `notJSON`; `wrongShape`, also for fewer items than `count`; `tooLarge`, also for more.
    package init(_ reply: BLIPReply, count: Int, limits: MessageLimits) throws(MessageError) {
        var items: [Item] = []
        var reader = JSONReader(reply.body)
        try reader.array(limit: count) { (reader) throws(MessageError) in
            guard try reader.peek() != .null else {
                _ = try reader.rawValue()
                items.append(.missing)
                return
            }
            let body = try reader.rawValue()
            items.append(try Self.item(body))
        }
        try reader.end()
        guard items.count == count else {
            throw MessageError(.wrongShape, "getCollections was answered with \(items.count) items instead of \(count)")
        }
        self.items = items
        names = reply.properties[GetCollectionsRequest.namesProperty].map { text in
            text.utf8.count <= Self.namesByteLimit ? text.split(separator: ",").map(String.init) : []
        }
    }

    /// The names as the value of a property, separated by commas, which no name contains, as far as they fit into
    /// `namesByteLimit`; nil if `names` is nil.
    private var namesProperty: String? {
        guard let names else { return nil }
        var text = ""
        for name in names where text.utf8.count + name.utf8.count < Self.namesByteLimit {
            text += (text.isEmpty ? "" : ",") + name
        }
        assert(text.utf8.count <= Self.namesByteLimit, "a reader takes no longer list")
        return text
    }

    /// The reply to send, with revisions under `rev`.
    package var message: BLIPOutgoing {
        var writer = JSONWriter()
        writer.array { writer in
            for item in items {
                switch item {
                case .missing: writer.raw("null".utf8)
                case .withoutCheckpoint: writer.raw("{}".utf8)
                case .checkpoint(let body, let revision): writer.raw(Self.inserting(revision, into: body))
                }
            }
        }
        var properties: BLIPProperties = [:]
        properties[GetCollectionsRequest.namesProperty] = namesProperty
        return BLIPOutgoing(properties, body: writer.bytes)
    }

    private static func item(_ body: ArraySlice<UInt8>) throws(MessageError) -> Item {
        var revision: String?
        var isEmpty = true
        var reader = JSONReader(body)
        try reader.object { (name, reader) throws(MessageError) in
            isEmpty = false
            if name == "rev" || name == "_rev", try reader.peek() == .string {
                revision = try reader.string()
            } else {
                _ = try reader.rawValue()
            }
        }
        return isEmpty ? .withoutCheckpoint : .checkpoint(body: Array(body), revision: revision)
    }

    /// Returns the JSON object of a stored checkpoint with `revision` as its member `rev`; if `revision` is nil,
    /// without that member. A stored body that isn't an object counts as an empty object.
    private static func inserting(_ revision: String?, into body: [UInt8]) -> [UInt8] {
        var writer = JSONWriter()
        var reader = JSONReader(body)
        var members: [(String, ArraySlice<UInt8>)] = []
        try? reader.object { (name, reader) throws(MessageError) in
            let value = try reader.rawValue()
            if name != "rev" { members.append((name, value)) }
        }
        writer.object { writer in
            for (name, value) in members {
                writer.name(name)
                writer.raw(value)
            }
            guard let revision else { return }
            writer.name("rev")
            writer.string(revision)
        }
        return writer.bytes
    }
}
