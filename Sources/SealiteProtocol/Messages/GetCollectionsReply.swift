internal import SealiteJSON

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
