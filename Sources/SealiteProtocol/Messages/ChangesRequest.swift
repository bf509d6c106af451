internal import SealiteJSON
package import SealiteRevisions

/// The request `changes`: a list of revisions that its sender has and announces. An empty list says that all existing
/// changes were announced.
package struct ChangesRequest: Sendable, Hashable {
    /// A revision that the receiver may want.
    package struct Row: Sendable, Hashable {
        package var sequence: RemoteSequence
        package var documentID: String
        /// A revision id, a version, or a whole version vector.
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

    /// The flags of a row, its fourth element in the message.
    package struct Flags: OptionSet, Sendable, Hashable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The revision is a tombstone.
        package static let deleted = Flags(rawValue: 1)
        /// The user lost access to the document.
        package static let revoked = Flags(rawValue: 2)
        /// The revision left the channels that the user sees.
        package static let removed = Flags(rawValue: 4)

        /// A Boolean value that says whether the row announces lost access rather than a revision. A tombstone with the
        /// flag `removed` announces a revision, and so does a row with unknown flags only.
        package var isAccessRemoved: Bool { contains(.revoked) || contains(.removed) && !contains(.deleted) }
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
            throw MessageError(
                .wrongShape, "a row of changes has only \(index) of the elements sequence, document ID and revision")
        }
        return Row(
            sequence: sequence, documentID: documentID, version: version, flags: flags, bodyByteCount: size)
    }

    /// Reads the flags: a Boolean in CBMobile_2, bits from CBMobile_3 on.
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

/// The reply to a `changes` request, which announces a list of revisions. It says for each row of the list whether the
/// revision is wanted.
package struct ChangesReply: Sendable, Hashable {
    /// The reply to one row of the list.
    package enum Item: Sendable, Hashable {
        /// The revision isn't wanted.
        case skip
        /// The revision is wanted by a receiver that has these revisions of the document. From a peer's reply at most
        /// `MessageLimits.ancestorCount` are read, and none longer than `MessageLimits.ancestorByteCount`.
        case send(ancestors: [Version])
        /// The revision was refused, with an HTTP status.
        case refused(status: Int)
    }

    /// The items of the reply, in the order of the rows. Rows without an item aren't wanted.
    package var items: [Item]
    /// The maximum number of revisions that the receiver wants in a history; nil if it names none.
    package var maxHistory: Int?
    /// A Boolean value that says whether the receiver finds the blobs of a document in its properties, so that bodies
    /// need no `_attachments`.
    package var understandsBlobs = false
    /// True if the receiver accepts deltas in place of bodies; nil if the reply doesn't have the property.
    package var takesDeltas: Bool?

    package init(items: [Item], maxHistory: Int? = nil) {
        self.items = items
        self.maxHistory = maxHistory
    }

    /// Reads a peer's reply. A row isn't wanted if its element in the reply isn't an array; a number from 400 on is the
    /// HTTP status of a refusal.
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
        takesDeltas = reply.properties.takesDeltas
    }

    /// The reply to send, without trailing rows that aren't wanted.
    package var message: BLIPOutgoing {
        var properties: BLIPProperties = [:]
        properties["maxHistory"] = maxHistory.map { String($0) }
        properties.set("blobs", if: understandsBlobs)
        properties.takesDeltas = takesDeltas
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
