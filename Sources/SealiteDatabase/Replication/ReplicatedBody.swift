internal import SealiteJSON
package import SealiteRevisions

/// A document's properties as they travel between databases, and as they are stored.
///
/// On the wire a body may have members at its top that belong to the protocol (`ReservedNames`). Sync Gateway knows blobs only
/// by the list `_attachments`, in which each stands by its JSON pointer.
package struct ReplicatedBody: Sendable {
    /// A blob that a body refers to.
    package struct BlobReference: Sendable, Hashable {
        package let digest: BlobDigest
        package let length: UInt64?
        package let contentType: String?
        package let encoding: String?
    }

    /// The properties in JSONB, without those of the protocol.
    let stored: [UInt8]
    /// A Boolean value that says whether the body tells that the document may not be read any more.
    package let isRemoved: Bool

    private static let attachments = ReservedNames.attachments

    /// Reads a body as it came from a peer; an empty one stands for an empty object. Only the protocol's own members are left
    /// out, so that what an application keeps under another name that begins with `_` is not lost.
    ///
    /// - Throws: `invalidJSON` when it isn't a JSON object.
    package init(json: [UInt8]) throws {
        let bytes = json.isEmpty ? Document.emptyBody : try JSONParser.parse(json)
        guard Self.hasProtocolProperty(bytes) else {
            (stored, isRemoved) = (bytes, false)
            return
        }
        guard let root = JSONBElement(root: bytes.span),
            var object = DictionaryObject(root, in: bytes, database: nil)
        else { throw DatabaseError(.invalidJSON, "the body of a revision is not a JSON object") }
        isRemoved = object.value(forKey: "_removed") == .boolean(true)
        let listed = object.value(forKey: Self.attachments)?.dictionary
        for name in object.keys where ReservedNames.contains(name) { object.removeValue(forKey: name) }
        if let listed {
            var value = Value.dictionary(object)
            let kept = Self.merge(listed, into: &value)
            object = value.dictionary ?? object
            if kept.count > 0 { object[Self.attachments] = .dictionary(kept) }
        }
        var writer = JSONBWriter(capacity: bytes.count)
        try writer.object(object)
        stored = writer.bytes
    }

    private static func hasProtocolProperty(_ bytes: [UInt8]) -> Bool {
        let span = bytes.span
        guard let root = JSONBElement(root: span) else { return false }
        var offset = root.start
        while offset < root.end, let label = JSONBElement(span, at: offset, limit: root.end),
            let value = JSONBElement(span, at: label.end, limit: root.end)
        {
            if label.start < label.end, span[label.start] == 0x5F,
                ReservedNames.contains(String(decoding: bytes[label.start..<label.end], as: UTF8.self))
            {
                return true
            }
            offset = value.end
        }
        return false
    }

    /// Takes the entries that stand for blobs out of a list of attachments, and gives the rest. Where an entry names other
    /// content than the blob, the attachment was replaced on the server, and the blob follows.
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

    /// Gives the blob at a path the digest, length and type of the entry; false where there is none.
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

    /// The digests of the blobs to which the body refers, each once.
    package var digests: [BlobDigest] { BodyScanner.blobDigests(stored) }

    /// The blobs and old-style attachments that the body refers to, each digest once.
    package var blobReferences: [BlobReference] {
        guard let root = JSONBElement(root: stored.span), let object = DictionaryObject(root, in: stored, database: nil)
        else { return [] }
        var blobs: [Blob] = []
        Blob.collect(.dictionary(object), into: &blobs)
        let old = object.value(forKey: Self.attachments)?.dictionary?.entries.compactMap(\.value.dictionary) ?? []
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

    // MARK: - Sending

    /// The JSON of a body with its blobs in `_attachments` too; nil when it has none.
    static func listingAttachments(_ body: [UInt8], generation: UInt32) throws -> [UInt8]? {
        guard let root = JSONBElement(root: body.span), var object = DictionaryObject(root, in: body, database: nil)
        else { return nil }
        var listed = DictionaryObject()
        for (name, entry) in object.value(forKey: attachments)?.dictionary?.entries ?? [] {
            var entry = entry
            entry["stub"] = true
            listed[name] = entry
        }
        list(.dictionary(object), at: "", generation, &listed)
        guard listed.count > 0 else { return nil }
        object[attachments] = .dictionary(listed)
        var writer = JSONBWriter(capacity: body.count * 2)
        try writer.object(object)
        return try JSONSerializer.text(of: writer.bytes)
    }

    private static func list(_ value: Value, at path: String, _ generation: UInt32, _ listed: inout DictionaryObject) {
        switch value {
        case .blob(let blob):
            var entry = blob.properties
            guard entry.string(forKey: "digest") != nil else { return }
            entry.removeValue(forKey: "@type")
            // A version has no generation.
            if generation > 0 { entry["revpos"] = Value(generation) }
            entry["stub"] = true
            listed["blob_" + path] = .dictionary(entry)
        case .dictionary(let object):
            for (key, member) in object.entries where !(path.isEmpty && key == attachments) {
                let name = key.replacing("~", with: "~0").replacing("/", with: "~1")
                list(member, at: "\(path)/\(name)", generation, &listed)
            }
        case .array(let array):
            for (index, item) in array.enumerated() { list(item, at: "\(path)/\(index)", generation, &listed) }
        default: break
        }
    }
}

extension Collection {
    /// A document as it would be with a peer's revision, for filters. It isn't stored.
    package func preview(id: String, revision: RevisionID, isDeleted: Bool, body: ReplicatedBody?) -> Document {
        Document(
            id: id, collection: self, sequence: 0, flags: isDeleted ? .deleted : [], revision: revision,
            body: body?.stored ?? Document.emptyBody)
    }

    /// The current revision of a document, a tombstone too; nil when there is none.
    package func currentRevision(id: String) throws -> Document? {
        guard let record = try database.reading({ try self.revisionRecord(id, $0) }) else { return nil }
        return Document(
            id: id, collection: self, sequence: record.sequence, flags: record.flags,
            revision: record.tree.current.id, body: record.body ?? Document.emptyBody)
    }
}

extension Document {
    /// The id of its revision.
    package var currentRevisionID: RevisionID { revision }
}
