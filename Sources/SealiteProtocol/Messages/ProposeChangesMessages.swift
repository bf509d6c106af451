internal import SealiteJSON
package import SealiteRevisions

extension ProposalDecision {
    /// The number that represents the decision in the reply to `proposeChanges`: 0 for a wanted revision, otherwise an
    /// HTTP status.
    package var status: Int {
        switch self {
        case .wanted: 0
        case .known: 304
        case .conflict: 409
        case .refused(let status): status
        }
    }
}

/// The request `proposeChanges`: a list of revisions that the active side wants to send.
package struct ProposeChangesRequest: Sendable, Hashable {
    /// A proposed revision, and the remote's revision that it should replace.
    package struct Row: Sendable, Hashable {
        package var documentID: String
        package var version: Version
        /// The revision that the sender believes to be the receiver's current one; nil if it knows none.
        package var serverVersion: Version?
        package var bodyByteCount: UInt64?
    }

    package var rows: [Row]
    /// A Boolean value that says whether a conflict is answered with the receiver's current revision.
    package var wantsConflictingRevision = true
    package var collection: Int?
}

extension ProposeChangesRequest {
    /// Reads a peer's request.
    ///
    /// - Throws: `notJSON`, `wrongShape`, `badProperty`, `badCollection`, `tooLarge`.
    package init(_ request: BLIPRequest, limits: MessageLimits) throws(MessageError) {
        collection = try request.properties.collection()
        wantsConflictingRevision = request.properties.flag("conflictIncludesRev")
        var rows: [Row] = []
        try MessageList.read(request.body, limits: limits) { (reader) throws(MessageError) in
            rows.append(try Self.row(&reader, limits))
        }
        self.rows = rows
    }

    /// The request to send: urgent and compressed; an empty list wants no reply and is not compressed.
    package var message: BLIPOutgoing {
        var properties = BLIPProperties(.proposeChanges, collection: collection)
        properties.set("conflictIncludesRev", if: wantsConflictingRevision)
        var writer = JSONWriter()
        writer.array { writer in
            for row in rows {
                writer.array { writer in
                    writer.string(row.documentID)
                    writer.string(row.version.text)
                    guard row.serverVersion != nil || row.bodyByteCount != nil else { return }
                    writer.string(row.serverVersion?.text ?? "")
                    if let size = row.bodyByteCount { writer.integer(size) }
                }
            }
        }
        return BLIPOutgoing(
            properties, body: writer.bytes, isCompressed: !rows.isEmpty, isUrgent: true, isNoReply: rows.isEmpty)
    }

    private static func row(_ reader: inout JSONReader, _ limits: MessageLimits) throws(MessageError) -> Row {
        var documentID: String?
        var version: Version?
        var serverVersion: Version?
        var size: UInt64?
        var index = 0
        try reader.array(limit: 16) { (reader) throws(MessageError) in
            switch index {
            case 0: documentID = try MessageList.documentID(&reader, limits)
            case 1: version = try Version(checking: reader.string(), limits: limits)
            case 2:
                let text = try reader.string()
                if !text.isEmpty { serverVersion = try Version(checking: text, limits: limits) }
            case 3: size = try MessageList.size(&reader)
            default: _ = try reader.rawValue()
            }
            index += 1
        }
        guard let documentID, let version else {
            throw MessageError(
                .wrongShape, "a row of proposals has only \(index) of the elements document ID and revision")
        }
        return Row(
            documentID: documentID, version: version, serverVersion: serverVersion, bodyByteCount: size)
    }
}

/// The reply to a `proposeChanges` request: the receiver's decisions on the proposed revisions.
package struct ProposeChangesReply: Sendable, Hashable {
    /// One decision for each row of the request, in order; rows after the last decision are wanted.
    package var items: [ProposalDecision]
    /// The maximum number of revisions that the receiver wants in a history; nil if it names none.
    package var maxHistory: Int?
    package var understandsBlobs = false
    /// True if the receiver accepts deltas in place of bodies; nil if the reply doesn't have the property.
    package var takesDeltas: Bool?

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
        takesDeltas = reply.properties.takesDeltas
    }

    /// Returns the reply to send, without trailing rows that are wanted. With `includingConflicting`, a conflict is
    /// answered with the receiver's current version, otherwise with the status 409 alone.
    package func message(includingConflicting: Bool) -> BLIPOutgoing {
        var properties: BLIPProperties = [:]
        properties["maxHistory"] = maxHistory.map { String($0) }
        properties.set("blobs", if: understandsBlobs)
        properties.takesDeltas = takesDeltas
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
