internal import SealiteJSON
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

/// The request `norev`, which announces that a promised revision will not be sent.
package struct NoRevisionRequest: Sendable, Hashable {
    package var documentID: String
    package var version: Version
    package var sequence: RemoteSequence?
    /// The reason why the revision isn't sent, as an HTTP status such as 404, 410 or 500.
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

    /// Reads a peer's `norev` request, in which Sync Gateway names the sequence `seq` under CBMobile_2.
    ///
    /// - Throws: `missingProperty`, `badCollection`, `tooLarge`, `notJSON` and `wrongShape` for a bad `sequence`.
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

    /// The request to send, which expects no reply.
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

// Versions in messages.
extension Version {
    /// A Boolean value that says whether the text is a version (`time@source`) or a version vector.
    package var isOfVector: Bool {
        switch form {
        case .revision: false
        case .version: true
        case .other(let text): text.text.utf8.contains(UInt8(ascii: "@"))
        }
    }

    /// A Boolean value that says whether the text is a generation and a digest, possibly with a generation that no
    /// revision tree accepts, such as one beyond 2^32. Such a text doesn't make the whole message invalid: only the
    /// revision is refused.
    private var hasGeneration: Bool {
        guard case .other(let exact) = form else { return revisionID != nil }
        let text = exact.text
        guard let dash = text.utf8.firstIndex(of: UInt8(ascii: "-")), text.utf8.first != UInt8(ascii: "+"),
            text.utf8.index(after: dash) != text.utf8.endIndex, let number = UInt64(text[..<dash])
        else { return false }
        return number > 0
    }

    /// Reads a peer's version.
    ///
    /// - Throws: `badProperty` if the text is neither a revision ID, a version nor a version vector; `tooLarge` above
    ///   the limit.
    package init(checking text: String, limits: MessageLimits) throws(MessageError) {
        guard text.utf8.count <= limits.versionByteCount else {
            throw MessageError(
                .tooLarge, "a revision ID or version vector has more than \(limits.versionByteCount) bytes")
        }
        self.init(text)
        guard hasGeneration || isOfVector else {
            throw MessageError(
                .badProperty,
                "a revision ID is neither a generation and a digest (1-ab) nor a version (time@source) or version vector"
            )
        }
    }

    /// Reads a history: the ancestors of a revision, newest first, separated by commas. With version vectors, the
    /// elements are the parts of the text between its commas.
    ///
    /// - Throws: `badProperty` if one of them is invalid or empty; `tooLarge` if one is too long, or there are too many.
    package static func history(parsing text: String, limits: MessageLimits) throws(MessageError) -> [Version] {
        var history: [Version] = []
        if text.utf8.allSatisfy({ $0 == UInt8(ascii: " ") }) { return history }
        // Splits bytes, not characters: a comma and a combining mark after it are one character, which isn't equal to a
        // comma.
        for part in text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            guard history.count < limits.historyCount else {
                throw MessageError(.tooLarge, "a history has more than \(limits.historyCount) revisions")
            }
            history.append(
                try Version(
                    checking: String(decoding: part.drop { $0 == UInt8(ascii: " ") }, as: UTF8.self), limits: limits))
        }
        return history
    }
}

extension [Version] {
    /// The text of a history: the ancestors, separated by commas.
    var historyText: String { map(\.text).joined(separator: ",") }

    /// The approximate memory that the versions use, in bytes.
    var heldByteCount: Int { reduce(0) { $0 + MemoryLayout<Version>.stride + 32 + $1.textByteCount } }
}
