internal import SealiteJSON
package import SealiteRevisions

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
    }

    /// The reply to send, without trailing rows that aren't wanted.
    package var message: BLIPOutgoing {
        var properties: BLIPProperties = [:]
        properties["maxHistory"] = maxHistory.map { String($0) }
        properties.set("blobs", if: understandsBlobs)
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
