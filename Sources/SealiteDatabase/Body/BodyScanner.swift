/// What saving needs to know of a body besides its JSON: the blobs in it, and names at the top that may not be there.
enum BodyScanner {
    private static let type = Array("@type".utf8)
    private static let blob = Array("blob".utf8)
    private static let digest = Array("digest".utf8)
    private static let attachments = Array("_attachments".utf8)
    private static let reserved = ["_id", "_rev", "_deleted", "_removed", "_revisions", "_sync", "_purged"]

    /// The digests of the blobs and old-style attachments that the body refers to.
    static func blobDigests(_ bytes: [UInt8]) -> [BlobDigest] {
        guard let root = JSONBElement(root: bytes.span), root.type == JSONBType.object else { return [] }
        var found: [BlobDigest] = []
        if let old = root.member(attachments.span, in: bytes.span), old.type == JSONBType.object {
            forEachMember(old, bytes) { found.append(contentsOf: digest(of: $1, bytes)) }
        }
        collect(root, bytes, &found, depth: 0)
        var seen: Set<BlobDigest> = []
        return found.filter { seen.insert($0).inserted }
    }

    private static func digest(of element: JSONBElement, _ bytes: [UInt8]) -> [BlobDigest] {
        guard let text = element.member(digest.span, in: bytes.span), text.isString else { return [] }
        return BlobDigest(String(decoding: bytes[text.start..<text.end], as: UTF8.self)).map { [$0] } ?? []
    }

    private static func collect(
        _ element: JSONBElement, _ bytes: [UInt8], _ found: inout [BlobDigest], depth: Int
    ) {
        guard depth < JSONParser.maximumDepth else { return }
        if element.type == JSONBType.object {
            if let kind = element.member(type.span, in: bytes.span), kind.isString,
                bytes[kind.start..<kind.end].elementsEqual(blob)
            {
                found.append(contentsOf: digest(of: element, bytes))
            }
            forEachMember(element, bytes) { collect($1, bytes, &found, depth: depth + 1) }
        } else if element.type == JSONBType.array {
            var offset = element.start
            while offset < element.end, let item = JSONBElement(bytes.span, at: offset, limit: element.end) {
                collect(item, bytes, &found, depth: depth + 1)
                offset = item.end
            }
        }
    }

    private static func forEachMember(
        _ object: JSONBElement, _ bytes: [UInt8], _ body: (JSONBElement, JSONBElement) -> Void
    ) {
        var offset = object.start
        while offset < object.end, let label = JSONBElement(bytes.span, at: offset, limit: object.end),
            let value = JSONBElement(bytes.span, at: label.end, limit: object.end)
        {
            body(label, value)
            offset = value.end
        }
    }

    /// Refuses a document with a property that the replication protocol keeps for itself.
    ///
    /// - Throws: `invalidParameter`.
    static func checkReservedNames(_ bytes: [UInt8]) throws(DatabaseError) {
        guard let root = JSONBElement(root: bytes.span), root.type == JSONBType.object else {
            throw DatabaseError(.corruptData, "a document body is not an object")
        }
        let span = bytes.span
        var offset = root.start
        while offset < root.end, let label = JSONBElement(span, at: offset, limit: root.end),
            let value = JSONBElement(span, at: label.end, limit: root.end)
        {
            if label.start < label.end, span[label.start] == 0x5F {
                let name = String(decoding: bytes[label.start..<label.end], as: UTF8.self)
                guard !reserved.contains(name) else {
                    throw DatabaseError(
                        .invalidParameter, "the property \"\(name)\" is reserved at the top of a document",
                        hint: "rename it or move it into a nested object")
                }
            }
            offset = value.end
        }
    }
}
