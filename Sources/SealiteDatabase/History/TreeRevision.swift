internal import SealiteJSON
package import SealiteRevisions

/// A revision from a peer in parsed form: its id and history, of a revision tree or a version vector, and its body in
/// JSONB, as the database stores it.
///
/// In messages, a body can have top-level members that belong to the protocol (`ReservedNames`). Sync Gateway
/// recognizes blobs only by the list `_attachments`, which has an entry for each blob under its JSON pointer.
package struct TreeRevision: Sendable {
    /// A blob that the body of a revision refers to, as the body describes it.
    package struct BlobReference: Sendable, Hashable {
        package let digest: BlobDigest
        package let length: UInt64?
        package let contentType: String?
        package let encoding: String?
    }

    package let incoming: IncomingRevision
    package let id: RevisionID
    /// The ids of the revision's ancestors in a revision tree, newest first; empty if the revision is a version of a
    /// version vector.
    let history: [RevisionID]
    /// The history of the revision, itself included: a version vector, or the ids of a revision tree.
    let versions: VersionHistory
    /// The properties in JSONB, without the members that belong to the replication protocol.
    let body: [UInt8]
    /// A Boolean value that says whether the received body has the member `_removed` with the value true, by which the
    /// peer says that access to the document was revoked.
    package let isRemoved: Bool

    /// Converts a revision received from a peer. Only the protocol's own members of the body are removed, so that an
    /// application's members with other names that begin with `_` are kept.
    ///
    /// - Throws: `invalidJSON` if the body isn't a JSON object, `badRevisionID` if the revision and its history are
    ///   neither ids of a revision tree nor a version vector.
    package init(_ incoming: IncomingRevision) throws {
        try self.init(
            incoming, body: incoming.body.isEmpty ? Document.emptyBody : JSONParser.parse(incoming.body))
    }

    /// Converts a revision received from a peer, with its body in JSONB in place of the received one, as in
    /// ``init(_:)``.
    package init(_ incoming: IncomingRevision, body bytes: [UInt8]) throws {
        (body, isRemoved) = try Self.stored(bytes)
        guard let id = incoming.version.id else {
            throw DatabaseError(
                .badRevisionID,
                "the id of a received revision is neither one of a revision tree nor a version of a version vector")
        }
        (self.incoming, self.id) = (incoming, id)
        if id.version == nil {
            history = incoming.history.compactMap(\.revisionID)
            guard history.count == incoming.history.count else {
                throw DatabaseError(
                    .badRevisionID, "the id of an ancestor in the history of the received revision \(id) is invalid")
            }
            versions = VersionHistory(id, ancestors: history)
        } else {
            history = []
            versions = try Self.versions(incoming)
        }
    }

    /// Returns the history of a revision that is a version of a version vector.
    private static func versions(_ incoming: IncomingRevision) throws(DatabaseError) -> VersionHistory {
        do throws(VersionError) {
            if incoming.history.isEmpty { return try VersionHistory(incoming.version) }
            return try VersionHistory(
                version: incoming.version.text, history: incoming.history.map(\.text).joined(separator: ",")
            ).bounded()
        } catch {
            throw DatabaseError(.badRevisionID, error.description)
        }
    }

    /// The size of the stored body in bytes.
    package var bodyByteCount: Int { body.count }

    /// The digests of the blobs to which the body refers, each once.
    package var digests: [BlobDigest] { BodyScanner.blobDigests(body) }

    /// The blobs that the body refers to, and the attachments that its list `_attachments` has in addition to them,
    /// each digest once.
    package var blobReferences: [BlobReference] {
        guard let object = DictionaryObject(jsonb: body) else { return [] }
        var blobs: [Blob] = []
        Blob.collect(.dictionary(object), into: &blobs)
        let old =
            object.value(forKey: ReservedNames.attachments)?.dictionary?.entries.compactMap(\.value.dictionary) ?? []
        var seen: Set<BlobDigest> = []
        return (blobs.map(\.properties) + old).compactMap { description in
            guard let digest = description.string(forKey: "digest").flatMap({ BlobDigest($0) }),
                seen.insert(digest).inserted
            else { return nil }
            return BlobReference(
                digest: digest, length: description.value(forKey: "length").map { UInt64(clamping: $0.int64) },
                contentType: description.string(forKey: "content_type"),
                encoding: description.string(forKey: "encoding"))
        }
    }

    // MARK: - Reading a body

    /// Returns a received body in JSONB without the members that belong to the replication protocol. `isRemoved` says
    /// whether the body has the member `_removed` with the value true.
    private static func stored(_ bytes: [UInt8]) throws -> (body: [UInt8], isRemoved: Bool) {
        guard hasProtocolProperty(bytes) else { return (bytes, false) }
        guard var object = DictionaryObject(jsonb: bytes) else {
            throw DatabaseError(.invalidJSON, "the body of a received revision is not a JSON object")
        }
        let isRemoved = object.value(forKey: "_removed") == .boolean(true)
        let listed = object.value(forKey: ReservedNames.attachments)?.dictionary
        for name in object.keys where ReservedNames.contains(name) { object.removeValue(forKey: name) }
        if let listed {
            var value = Value.dictionary(object)
            let kept = merge(listed, into: &value)
            object = value.dictionary ?? object
            if kept.count > 0 { object[ReservedNames.attachments] = .dictionary(kept) }
        }
        return (try object.jsonb(capacity: bytes.count), isRemoved)
    }

    private static func hasProtocolProperty(_ bytes: [UInt8]) -> Bool {
        var isFound = false
        JSONBElement(root: bytes.span)?.forEachReservedName(in: bytes) { _, _ in isFound = true }
        return isFound
    }

    /// Updates the blobs in a value from the entries of a list of attachments, and returns the entries that belong to
    /// no blob, except those whose names begin with `blob_` and a digit. If an entry's digest differs from its blob's,
    /// the attachment was replaced on the server, and the blob gets the new content.
    private static func merge(_ listed: DictionaryObject, into value: inout Value) -> DictionaryObject {
        var kept = DictionaryObject()
        for (name, entry) in listed.entries {
            guard let entry = entry.dictionary else { continue }
            if name.hasPrefix("blob_/") {
                let path = name.dropFirst("blob_/".count).split(separator: "/", omittingEmptySubsequences: false)
                    .map { String($0).replacing("~1", with: "/").replacing("~0", with: "~") }
                if replace(&value, path[...], by: entry) { continue }
            } else if name.hasPrefix("blob_"), name.dropFirst("blob_".count).first?.isNumber == true {
                continue
            }
            var copy = entry
            copy.removeValue(forKey: "stub")
            kept[name] = .dictionary(copy)
        }
        return kept
    }

    /// Sets the digest, length and type of the blob at a path in a value to those of an entry of a list of attachments.
    ///
    /// - Returns: false if there is no blob at the path.
    private static func replace(_ value: inout Value, _ path: ArraySlice<String>, by entry: DictionaryObject) -> Bool {
        guard let first = path.first else {
            guard let blob = value.blob else { return false }
            guard let digest = entry.string(forKey: "digest"), digest != blob.digest else { return true }
            var description = blob.properties
            for name in ["digest", "length", "content_type"] { description[name] = entry[name] ?? description[name] }
            value = .blob(Blob(stored: description, database: nil))
            return true
        }
        if var object = value.dictionary, var member = object[first] {
            guard replace(&member, path.dropFirst(), by: entry) else { return false }
            object[first] = member
            value = .dictionary(object)
            return true
        }
        if var array = value.array, let index = Int(first), array.indices.contains(index) {
            guard replace(&array[index], path.dropFirst(), by: entry) else { return false }
            value = .array(array)
            return true
        }
        return false
    }
}

extension Collection {
    /// Creates the document that a peer's revision would result in, so that replication filters can examine it. The
    /// document isn't stored.
    package func preview(_ revision: TreeRevision) -> Document {
        Document(
            id: revision.incoming.documentID, collection: self, sequence: 0,
            flags: revision.incoming.isDeleted ? .deleted : [], revision: revision.id, body: revision.body)
    }

    /// Creates a document without properties, of which only the id and a peer's revision are known, so that replication
    /// filters can examine it. The document isn't stored.
    package func preview(id: String, revision: RevisionID) -> Document {
        Document(
            id: id, collection: self, sequence: 0, flags: [], revision: revision, body: Document.emptyBody)
    }

    /// Returns a document in its current revision, also if that is a tombstone; nil if the document isn't stored.
    package func currentRevision(id: String) throws -> Document? {
        try database.reading { try self.revisionRecord(id, $0) }?.current(id, in: self)
    }
}

extension Document {
    /// The id of the revision that this object was read or saved as.
    package var currentRevisionID: RevisionID { revision }
}
