internal import SealiteJSON
package import SealiteRevisions

/// The reply to a `proposeChanges` request: the receiver's decisions on the proposed revisions.
package struct ProposeChangesReply: Sendable, Hashable {
    /// One decision for each row of the request, in order; rows after the last decision are wanted.
    package var items: [ProposalDecision]
    /// The maximum number of revisions that the receiver wants in a history; nil if it names none.
    package var maxHistory: Int?
    package var understandsBlobs = false

    package init(items: [ProposalDecision], maxHistory: Int? = nil) {
        self.items = items
        self.maxHistory = maxHistory
    }

    /// Reads a peer's reply. An empty body and `null` mean that all rows are wanted.
    ///
    /// - Throws: `notJSON`, `wrongShape`, `tooLarge`.
    package init(_ reply: BLIPReply, limits: MessageLimits) throws(MessageError) {
        var items: [ProposalDecision] = []
        try MessageList.read(reply.body, limits: limits) { (reader) throws(MessageError) in
            items.append(try Self.item(&reader))
        }
        self.items = items
        maxHistory = reply.properties.number("maxHistory")
        understandsBlobs = reply.properties.flag("blobs")
    }

    /// Returns the reply to send, without trailing rows that are wanted. With `includingConflicting`, a conflict is
    /// answered with the receiver's current version, otherwise with the status 409 alone.
    package func message(includingConflicting: Bool) -> BLIPOutgoing {
        var properties: BLIPProperties = [:]
        properties["maxHistory"] = maxHistory.map { String($0) }
        properties.set("blobs", if: understandsBlobs)
        let count = (items.lastIndex { $0 != .wanted } ?? -1) + 1
        var writer = JSONWriter()
        writer.array { writer in
            for item in items.prefix(count) {
                guard case .conflict(let current) = item, includingConflicting else {
                    writer.integer(item.status)
                    continue
                }
                writer.object { writer in
                    writer.name("status")
                    writer.integer(409)
                    writer.name("rev")
                    writer.string(current?.text ?? "")
                }
            }
        }
        return BLIPOutgoing(properties, body: writer.bytes, isCompressed: true)
    }

    private static func item(_ reader: inout JSONReader) throws(MessageError) -> ProposalDecision {
        switch try reader.peek() {
        case .number: return item(status: try reader.integer(), current: nil)
        case .object:
            var status: Int64 = 0
            var current: Version?
            try reader.object { (name, reader) throws(MessageError) in
                switch (name, try reader.peek()) {
                case ("status", .number): status = try reader.integer()
                case ("rev", .string):
                    let text = try reader.string()
                    current = text.isEmpty ? nil : Version(text)
                default: _ = try reader.rawValue()
                }
            }
            return item(status: status, current: current)
        default: throw MessageError(.wrongShape, "an answer to a proposal is neither a number nor an object")
        }
    }

    private static func item(status: Int64, current: Version?) -> ProposalDecision {
        switch status {
        case 0, 200, 201: .wanted
        case 304: .known
        case 409: .conflict(current: current)
        default: .refused(status: Int(truncatingIfNeeded: status))
        }
    }
}
