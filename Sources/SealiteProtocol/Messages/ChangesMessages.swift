internal import SealiteJSON
package import SealiteRevisions

/// A list of revisions that a peer has, or that all were announced if it is empty.
package struct ChangesRequest: Sendable, Hashable {
    /// A revision that the receiver may want.
    package struct Row: Sendable, Hashable {
        package var sequence: RemoteSequence
        package var documentID: String
        /// A revision-tree ID, a version, or a whole version vector.
        package var version: Version
        package var flags: Flags
        package var bodyByteCount: UInt64?

        package init(
            sequence: RemoteSequence, documentID: String, version: Version, flags: Flags = [],
            bodyByteCount: UInt64? = nil
        ) {
            self.sequence = sequence
            self.documentID = documentID
            self.version = version
            self.flags = flags
            self.bodyByteCount = bodyByteCount
        }
    }

    /// The fourth element of a row.
    package struct Flags: OptionSet, Sendable, Hashable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// A tombstone.
        package static let deleted = Flags(rawValue: 1)
        /// The user lost access to the document.
        package static let revoked = Flags(rawValue: 2)
        /// The revision left the channels that the user sees.
        package static let removed = Flags(rawValue: 4)

        /// A Boolean value that says whether the row says that access was lost rather than that there is a revision. A
        /// tombstone that left its channels is a tombstone.
        package var isAccessRemoved: Bool { rawValue > 1 && self != [.deleted, .removed] }
    }

    package var rows: [Row]
    package var collection: Int?

    package init(rows: [Row], collection: Int? = nil) {
        self.rows = rows
        self.collection = collection
    }

    /// Reads a peer's request. The body may be `null` or missing, which is an empty list.
    ///
    /// - Throws: `notJSON`, `wrongShape`, `badProperty`, `badCollection`, `tooLarge`.
    package init(_ request: BLIPRequest, limits: MessageLimits) throws(MessageError) {
        collection = try request.properties.collection()
        var rows: [Row] = []
        try MessageList.read(request.body, limits: limits) { (reader) throws(MessageError) in
            rows.append(try Self.row(&reader, limits))
        }
        self.rows = rows
    }

    /// The request to send: urgent and compressed; an empty list wants no reply and is not compressed.
    package var message: BLIPOutgoing {
        var writer = JSONWriter()
        writer.array { writer in
            for row in rows {
                writer.array { writer in
                    writer.raw(row.sequence.json.utf8)
                    writer.string(row.documentID)
                    writer.string(row.version.text)
                    guard !row.flags.isEmpty || row.bodyByteCount != nil else { return }
                    writer.integer(row.flags.rawValue)
                    if let size = row.bodyByteCount { writer.integer(size) }
                }
            }
        }
        return BLIPOutgoing(
            BLIPProperties(.changes, collection: collection), body: writer.bytes, isCompressed: !rows.isEmpty,
            isUrgent: true, isNoReply: rows.isEmpty)
    }

    private static func row(_ reader: inout JSONReader, _ limits: MessageLimits) throws(MessageError) -> Row {
        var sequence: RemoteSequence?
        var documentID: String?
        var version: Version?
        var flags: Flags = []
        var size: UInt64?
        var index = 0
        try reader.array(limit: 16) { (reader) throws(MessageError) in
            switch index {
            case 0: sequence = try RemoteSequence(reading: &reader, limits: limits)
            case 1: documentID = try MessageList.documentID(&reader, limits)
            case 2: version = try Version(checking: reader.string(), limits: limits)
            case 3: flags = try Self.flags(&reader)
            case 4: size = try MessageList.size(&reader)
            default: _ = try reader.rawValue()
            }
            index += 1
        }
        guard let sequence, let documentID, let version else {
            throw MessageError(.wrongShape, "a row of changes has only \(index) elements")
        }
        return Row(
            sequence: sequence, documentID: documentID, version: version, flags: flags, bodyByteCount: size)
    }

    /// A boolean under CBMobile_2, bits from CBMobile_3 on.
    private static func flags(_ reader: inout JSONReader) throws(MessageError) -> Flags {
        switch try reader.peek() {
        case .boolean: return try reader.boolean() ? .deleted : []
        case .number: return Flags(rawValue: UInt8(truncatingIfNeeded: try reader.integer()))
        default:
            _ = try reader.rawValue()
            return []
        }
    }
}

/// The answer to `changes`: which of the rows are wanted.
package struct ChangesReply: Sendable, Hashable {
    /// The answer to a row.
    package enum Item: Sendable, Hashable {
        /// It is not wanted.
        case skip
        /// It is, by someone who has these revisions of the document. Of those that a peer names at most
        /// `MessageLimits.ancestorCount` are read, and none that is longer than `ancestorByteCount`.
        case send(ancestors: [Version])
        /// It was refused.
        case refused(status: Int)
    }

    /// One item for each row; those after the last are not wanted.
    package var items: [Item]
    /// Most revisions wanted in a history.
    package var maxHistory: Int?
    /// A Boolean value that says whether blobs are found in the body, so that no `_attachments` are needed.
    package var understandsBlobs = false
    /// A Boolean value that says whether bodies may come as deltas.
    package var acceptsDeltas = false

    package init(items: [Item], maxHistory: Int? = nil) {
        self.items = items
        self.maxHistory = maxHistory
    }

    /// Reads a peer's reply. Whatever is not an array is a row that is not wanted.
    ///
    /// - Throws: `notJSON`, `wrongShape`, `tooLarge`.
    package init(_ reply: BLIPReply, limits: MessageLimits) throws(MessageError) {
        var items: [Item] = []
        try MessageList.read(reply.body, limits: limits) { (reader) throws(MessageError) in
            items.append(try Self.item(&reader, limits))
        }
        self.items = items
        maxHistory = reply.properties.number("maxHistory")
        understandsBlobs = reply.properties.flag("blobs")
        acceptsDeltas = reply.properties.flag("deltas")
    }

    /// The reply to send, without the last rows if those are not wanted.
    package var message: BLIPOutgoing {
        var properties: BLIPProperties = [:]
        properties["maxHistory"] = maxHistory.map { String($0) }
        properties.set("blobs", if: understandsBlobs)
        properties.set("deltas", if: acceptsDeltas)
        let count = (items.lastIndex { $0 != .skip } ?? -1) + 1
        var writer = JSONWriter()
        writer.array { writer in
            for item in items.prefix(count) {
                switch item {
                case .skip: writer.integer(0)
                case .refused(let status): writer.integer(status)
                case .send(let ancestors):
                    writer.array { writer in for ancestor in ancestors { writer.string(ancestor.text) } }
                }
            }
        }
        return BLIPOutgoing(properties, body: writer.bytes, isCompressed: true)
    }

    private static func item(_ reader: inout JSONReader, _ limits: MessageLimits) throws(MessageError) -> Item {
        switch try reader.peek() {
        case .array:
            var ancestors: [Version] = []
            try reader.array(limit: limits.historyCount) { (reader) throws(MessageError) in
                guard try reader.peek() == .string else {
                    _ = try reader.rawValue()
                    return
                }
                let ancestor = try reader.string()
                guard ancestors.count < limits.ancestorCount, ancestor.utf8.count <= limits.ancestorByteCount else {
                    return
                }
                ancestors.append(Version(ancestor))
            }
            return .send(ancestors: ancestors)
        case .number:
            let raw = try reader.rawValue()
            let status = Int(String(decoding: raw, as: UTF8.self)) ?? 0
            return status >= 400 ? .refused(status: status) : .skip
        default:
            _ = try reader.rawValue()
            return .skip
        }
    }
}

/// The reading of lists of rows, of both kinds.
enum MessageList {
    /// Reads an array; nothing and `null` are empty ones.
    static func read(
        _ body: [UInt8], limits: MessageLimits, _ item: (inout JSONReader) throws(MessageError) -> Void
    ) throws(MessageError) {
        guard !body.isEmpty else { return }
        var reader = JSONReader(body)
        if try reader.peek() == .null {
            _ = try reader.rawValue()
        } else {
            try reader.array(limit: limits.rowCount, item)
        }
        try reader.end()
    }

    static func documentID(_ reader: inout JSONReader, _ limits: MessageLimits) throws(MessageError) -> String {
        let id = try reader.string()
        guard !id.isEmpty else { throw MessageError(.badProperty, "a document ID is empty") }
        guard id.utf8.count <= limits.documentIDByteCount else {
            throw MessageError(.tooLarge, "a document ID has more than \(limits.documentIDByteCount) bytes")
        }
        return id
    }

    /// A size, which is informative: whatever is none is left out.
    static func size(_ reader: inout JSONReader) throws(MessageError) -> UInt64? {
        UInt64(String(decoding: try reader.rawValue(), as: UTF8.self))
    }
}
