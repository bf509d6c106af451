internal import SealiteJSON
package import SealiteRevisions

/// The request `proposeChanges`: a list of revisions that the active side wants to send.
package struct ProposeChangesRequest: Sendable, Hashable {
    /// A proposed revision, and the remote's revision that it should replace.
    package struct Row: Sendable, Hashable {
        package var documentID: String
        package var version: Version
        /// The revision that the sender believes to be the receiver's current one; nil if it knows none.
        package var serverVersion: Version?
        package var bodyByteCount: UInt64?

        package init(
            documentID: String, version: Version, serverVersion: Version? = nil,
            bodyByteCount: UInt64? = nil
        ) {
            self.documentID = documentID
            self.version = version
            self.serverVersion = serverVersion
            self.bodyByteCount = bodyByteCount
        }
    }

    package var rows: [Row]
    /// A Boolean value that says whether a conflict is answered with the receiver's current revision.
    package var wantsConflictingRevision: Bool
    package var collection: Int?

    package init(rows: [Row], wantsConflictingRevision: Bool = true, collection: Int? = nil) {
        self.rows = rows
        self.wantsConflictingRevision = wantsConflictingRevision
        self.collection = collection
    }

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
