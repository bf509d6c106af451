internal import SealiteJSON
internal import SealiteRevisions

/// Scans a document's body, which is its properties in JSONB, for references to blobs, and for reserved names at the
/// top level. A save needs to know both.
enum BodyScanner {
    private static let type = Array("@type".utf8)
    private static let blob = Array("blob".utf8)
    private static let digest = Array("digest".utf8)
    private static let attachments = Array("_attachments".utf8)

    /// Returns the digests of the blobs, and of the attachments in the member `_attachments`, to which a body refers,
    /// each once.
    static func blobDigests(_ bytes: [UInt8]) -> [BlobDigest] {
        var seen: Set<BlobDigest> = []
        return blobReferences(bytes).filter { seen.insert($0).inserted }
    }

    /// Returns the digests of the blobs, and of the attachments in the member `_attachments`, to which a body refers,
    /// with repetitions.
    static func blobReferences(_ bytes: [UInt8]) -> [BlobDigest] {
        guard let root = JSONBElement(root: bytes.span), root.type == JSONBType.object else { return [] }
        var found: [BlobDigest] = []
        if let old = root.member(attachments.span, in: bytes.span), old.type == JSONBType.object {
            old.forEachMember(in: bytes) { found.append(contentsOf: digest(of: $1, bytes)) }
        }
        collect(root, bytes, &found, depth: 0)
        return found
    }

    private static func digest(of element: JSONBElement, _ bytes: [UInt8]) -> [BlobDigest] {
        guard let text = element.member(digest.span, in: bytes.span), text.isString else { return [] }
        return BlobDigest(String(decoding: bytes[text.start..<text.end], as: UTF8.self)).map { [$0] } ?? []
    }

    private static func collect(_ element: JSONBElement, _ bytes: [UInt8], _ found: inout [BlobDigest], depth: Int) {
        guard depth < JSONParser.maximumDepth else { return }
        if element.type == JSONBType.object {
            if let kind = element.member(type.span, in: bytes.span), kind.isString,
                bytes[kind.start..<kind.end].elementsEqual(blob)
            {
                found.append(contentsOf: digest(of: element, bytes))
            }
            element.forEachMember(in: bytes) { collect($1, bytes, &found, depth: depth + 1) }
        } else if element.type == JSONBType.array {
            var offset = element.start
            while offset < element.end, let item = JSONBElement(bytes.span, at: offset, limit: element.end) {
                collect(item, bytes, &found, depth: depth + 1)
                offset = item.end
            }
        }
    }

    /// Refuses a document with a member at the top level whose name the replication protocol reserves
    /// (`ReservedNames`).
    ///
    /// A list of attachments that a peer sent with the document may be kept unchanged or shortened. Otherwise a
    /// document with attachments from another program could not be edited.
    ///
    /// - Parameters:
    ///   - bytes: the body to save.
    ///   - earlier: returns the stored bodies of the document; called only if the body has a list of attachments.
    /// - Throws: `invalidParameter`, `corruptData` if the body isn't a JSONB object, and the errors of `earlier`.
    static func checkReservedNames(_ bytes: [UInt8], earlier: () throws -> [[UInt8]] = { [] }) throws {
        guard let root = JSONBElement(root: bytes.span), root.type == JSONBType.object else {
            throw DatabaseError(.corruptData, "the body of a document to be saved is not a JSONB object")
        }
        var found: [(name: String, value: JSONBElement)] = []
        root.forEachReservedName(in: bytes) { found.append(($0, $1)) }
        for (name, value) in found {
            guard name == ReservedNames.attachments, try isKept(value, bytes, earlier()) else {
                throw ReservedNames.refusal(of: name)
            }
        }
    }

    /// Returns whether every entry of a list of attachments is in the list of one of the earlier bodies, unchanged.
    private static func isKept(_ list: JSONBElement, _ bytes: [UInt8], _ earlier: [[UInt8]]) -> Bool {
        let known = earlier.compactMap { body -> [ArraySlice<UInt8>: ArraySlice<UInt8>]? in
            guard let root = JSONBElement(root: body.span),
                let list = root.member(attachments.span, in: body.span), list.type == JSONBType.object
            else { return nil }
            return entries(list, body)
        }
        guard list.type == JSONBType.object, !known.isEmpty else { return false }
        return entries(list, bytes).allSatisfy { entry in known.contains { $0[entry.key] == entry.value } }
    }

    private static func entries(_ list: JSONBElement, _ bytes: [UInt8]) -> [ArraySlice<UInt8>: ArraySlice<UInt8>] {
        var found: [ArraySlice<UInt8>: ArraySlice<UInt8>] = [:]
        // The key includes its header, which distinguishes a number from a text of the same digits.
        list.forEachMember(in: bytes) { found[bytes[$0.start..<$0.end]] = bytes[$0.end..<$1.end] }
        return found
    }
}

extension JSONBElement {
    /// Calls `body` with the label and the value of each member of an object, up to the first one that is damaged.
    func forEachMember(in bytes: [UInt8], _ body: (_ label: JSONBElement, _ value: JSONBElement) -> Void) {
        var offset = start
        while offset < end, let label = JSONBElement(bytes.span, at: offset, limit: end),
            let value = JSONBElement(bytes.span, at: label.end, limit: end)
        {
            body(label, value)
            offset = value.end
        }
    }

    /// Calls `body` with the name and the value of each member of an object whose name the replication protocol reserves.
    func forEachReservedName(in bytes: [UInt8], _ body: (_ name: String, _ value: JSONBElement) -> Void) {
        forEachMember(in: bytes) { label, value in
            guard label.start < label.end, bytes[label.start] == 0x5F else { return }
            let name = String(decoding: bytes[label.start..<label.end], as: UTF8.self)
            if ReservedNames.contains(name) { body(name, value) }
        }
    }
}

/// Parses the JSON text of bodies and reports failures as a `DatabaseError`.
enum JSONParser {
    /// The maximum depth of nested arrays and objects, counting the outermost one.
    static var maximumDepth: Int { JSONB.maximumDepth }

    /// Returns the JSONB of `text`. With `requiresObject`, the root must be an object, as a document's root is.
    ///
    /// - Throws: `invalidJSON` with the offset in bytes, never with the text.
    static func parse(_ text: [UInt8], requiresObject: Bool = true) throws(DatabaseError) -> [UInt8] {
        do throws(JSONError) {
            return try JSONB.parse(text, requiresObject: requiresObject)
        } catch {
            throw DatabaseError(.invalidJSON, "invalid JSON at byte \(error.offset): \(error.reason)")
        }
    }
}

/// Converts stored bodies to JSON text, and reports failures as `DatabaseError`s.
enum JSONSerializer {
    /// Returns the JSON text of a JSONB element.
    ///
    /// - Throws: `corruptData` if the bytes aren't JSONB or are nested deeper than a document may be.
    static func text(of bytes: [UInt8], order: JSONBSerializer.Order = .stored) throws(DatabaseError) -> [UInt8] {
        try mapped { () throws(JSONError) in try JSONBSerializer.text(of: bytes.span, order: order) }
    }

    /// Runs a function that reads a stored body, and converts its errors.
    ///
    /// - Throws: `corruptData` if the bytes aren't JSONB or are nested deeper than a document may be.
    @inline(__always)
    static func mapped<Result>(_ body: () throws(JSONError) -> Result) throws(DatabaseError) -> Result {
        do throws(JSONError) {
            return try body()
        } catch {
            throw DatabaseError(
                .corruptData,
                "the body of a document is not valid JSONB, or is nested deeper than \(JSONParser.maximumDepth) levels")
        }
    }
}
