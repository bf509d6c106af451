package import SealiteRevisions

/// The request `rev`, which sends a revision with its body.
package struct RevisionRequest: Sendable, Hashable {
    package var documentID: String
    package var version: Version
    /// The sequence under which the sender announced the revision; nil if the request names none.
    package var sequence: RemoteSequence?
    /// The ancestors as text: with revision trees their ids, newest first and separated by commas; with version vectors
    /// the vector without its current version.
    package var history: String
    package var isDeleted: Bool
    /// A Boolean value that says whether the revision is to be refused if it conflicts.
    package var isConflictRefused: Bool
    /// The version from which the body is a delta; nil if the body is whole.
    package var deltaSource: Version?
    /// The obsolete version that the receiver requested, in place of which this revision is sent; nil if this revision
    /// is the requested one.
    package var replacedVersion: Version?
    /// The error text of a sender that couldn't send the body; nil if it sent the body.
    package var errorText: String?
    /// The document's properties as a JSON object; if `deltaSource` isn't nil, a delta to them.
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

    /// Reads a peer's request, without parsing the body.
    ///
    /// - Throws: `missingProperty`, `badProperty`, `badCollection`, `tooLarge`, `notJSON` and `wrongShape` for a bad
    ///   `sequence`.
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

    /// The request to send. An empty body is sent as `{}`, since peers require one.
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

    /// Returns the ancestors that `history` names, newest first. With version vectors, the elements are the parts of
    /// the text between its commas.
    ///
    /// - Throws: `badProperty`, `tooLarge`.
    package func treeHistory(limits: MessageLimits) throws(MessageError) -> [Version] {
        try Version.history(parsing: history, limits: limits)
    }
}
