package import SealiteRevisions

/// A revision with its body.
package struct RevisionRequest: Sendable, Hashable {
    package var documentID: String
    package var version: Version
    /// The sequence of its row, as it was announced.
    package var sequence: RemoteSequence?
    /// The ancestors as they stand on the wire: revision-tree IDs newest first, or the rest of a version vector.
    package var history: String
    package var isDeleted: Bool
    /// A Boolean value that says whether the revision must not make a conflict.
    package var isConflictRefused: Bool
    /// The revision that the body is a delta from.
    package var deltaSource: Version?
    /// The obsolete revision that it is sent instead of.
    package var replacedVersion: Version?
    /// Set by a sender that could not send the body.
    package var errorText: String?
    /// A JSON object, or a delta.
    package var body: [UInt8]
    package var collection: Int?

    package init(
        documentID: String, version: Version, sequence: RemoteSequence? = nil, history: String = "",
        isDeleted: Bool = false, isConflictRefused: Bool = false, body: [UInt8], collection: Int? = nil
    ) {
        self.documentID = documentID
        self.version = version
        self.sequence = sequence
        self.history = history
        self.isDeleted = isDeleted
        self.isConflictRefused = isConflictRefused
        self.body = body
        self.collection = collection
    }

    /// Reads a peer's request. The body is not looked at.
    ///
    /// - Throws: `missingProperty`, `badProperty`, `badCollection`, `tooLarge`, `notJSON` for a bad `sequence`.
    package init(_ request: BLIPRequest, limits: MessageLimits) throws(MessageError) {
        let properties = request.properties
        documentID = try properties.documentID(limits: limits)
        version = try Version(checking: properties.required("rev"), limits: limits)
        sequence = nil
        if let text = properties["sequence"] { sequence = try RemoteSequence(json: text, limits: limits) }
        history = properties["history"] ?? ""
        isDeleted = properties.flag("deleted")
        isConflictRefused = properties.flag("noconflicts")
        deltaSource = properties["deltaSrc"].map { Version($0) }
        replacedVersion = properties["replacedRev"].map { Version($0) }
        errorText = properties["error"]
        body = request.body
        collection = try properties.collection()
    }

    /// The request to send. An empty body is sent as `{}`: no peer takes none.
    package var message: BLIPOutgoing {
        var properties = BLIPProperties(.rev, collection: collection)
        properties["id"] = documentID
        properties["rev"] = version.text
        properties["replacedRev"] = replacedVersion?.text
        properties["sequence"] = sequence?.json
        if isDeleted { properties["deleted"] = "1" }
        if !history.isEmpty { properties["history"] = history }
        properties.set("noconflicts", if: isConflictRefused)
        properties["deltaSrc"] = deltaSource?.text
        return BLIPOutgoing(properties, body: body.isEmpty ? Array("{}".utf8) : body, isCompressed: true)
    }

    /// The ancestors of a revision in a tree, newest first.
    ///
    /// - Throws: `badProperty`, `tooLarge`.
    package func treeHistory(limits: MessageLimits) throws(MessageError) -> [Version] {
        try Version.history(parsing: history, limits: limits)
    }
}

/// Says that a promised revision will not come.
package struct NoRevisionRequest: Sendable, Hashable {
    package var documentID: String
    package var version: Version
    package var sequence: RemoteSequence?
    /// An HTTP-like status: 404, 410, 500.
    package var status: Int
    package var reason: String?
    package var collection: Int?

    package init(
        documentID: String, version: Version, sequence: RemoteSequence?, status: Int, reason: String? = nil,
        collection: Int? = nil
    ) {
        self.documentID = documentID
        self.version = version
        self.sequence = sequence
        self.status = status
        self.reason = reason
        self.collection = collection
    }

    /// Reads a peer's request. Sync Gateway has the sequence under `seq` in CBMobile_2.
    ///
    /// - Throws: `missingProperty`, `badCollection`, `tooLarge`, `notJSON` for a bad `sequence`.
    package init(_ request: BLIPRequest, limits: MessageLimits) throws(MessageError) {
        let properties = request.properties
        documentID = try properties.documentID(limits: limits)
        version = Version(try properties.required("rev"))
        sequence = nil
        if let text = properties["sequence"] ?? properties["seq"] {
            sequence = try RemoteSequence(json: text, limits: limits)
        }
        status = properties.number("error") ?? 500
        reason = properties["reason"]
        collection = try properties.collection()
    }

    /// The request to send; it wants no reply.
    package var message: BLIPOutgoing {
        var properties = BLIPProperties(.norev, collection: collection)
        properties["id"] = documentID
        properties["rev"] = version.text
        properties["sequence"] = sequence?.json
        properties["error"] = String(status)
        properties["reason"] = reason
        return BLIPOutgoing(properties, isCompressed: true, isNoReply: true)
    }
}
