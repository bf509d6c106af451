internal import SealiteCrypto
internal import SealiteJSON
internal import SealiteRevisions

/// Computes the ids of new revisions in a revision tree (Documentation/DocumentFormat.md §4.1), with buffers that are
/// reused.
struct RevisionDigester: ~Copyable {
    private var serializer = JSONBSerializer(.canonical, capacity: 1024)
    private var plainSerializer = JSONBSerializer(.stored, capacity: 1024)

    /// A Boolean value that says whether the last body that was passed has a member whose name starts with `@` or `_`.
    /// Only such a body may contain blobs or reserved names.
    private(set) var sawMarkedName = false

    /// Returns the id of a new revision, whose digest is computed from the parent's id, the deletion flag and the
    /// body's JSON.
    ///
    /// - Throws: `corruptData` if the body isn't JSONB, `documentTooLarge` if its JSON exceeds the limit,
    ///   `badRevisionID` if the parent has the greatest generation.
    mutating func revision(parent: RevisionID?, isDeleted: Bool, body: [UInt8], byteLimit: Int) throws -> RevisionID {
        serializer.text.removeAll()
        serializer.sawMarkedName = false
        serializer.text.append(0)
        parent?.appendText(to: &serializer.text)
        serializer.text[0] = UInt8(clamping: serializer.text.count - 1)
        serializer.text.append(isDeleted ? 1 : 0)
        let prefixCount = serializer.text.count
        try JSONSerializer.mapped { () throws(JSONError) in try serializer.write(body.span) }
        sawMarkedName = serializer.sawMarkedName
        try Self.check(serializer.text.count - prefixCount, byteLimit)
        let digest = try unsafe serializer.text.withUnsafeBytes { try unsafe SHA1.digest(of: $0) }
        let generation = parent?.generation ?? 0
        guard generation < UInt32.max - 1 else {
            throw DatabaseError(
                .badRevisionID, "a revision of the generation \(generation), the greatest one, can't have a successor",
                hint: "purge the document, and save it again")
        }
        return RevisionID(generation: generation + 1, digestBytes: digest.span)
    }

    /// Checks the body of a new version of a version vector, whose id isn't derived from the body.
    ///
    /// - Throws: `corruptData` if the body isn't JSONB, `documentTooLarge` if its JSON exceeds the limit.
    mutating func check(body: [UInt8], byteLimit: Int) throws(DatabaseError) {
        plainSerializer.text.removeAll()
        plainSerializer.sawMarkedName = false
        try JSONSerializer.mapped { () throws(JSONError) in try plainSerializer.write(body.span) }
        sawMarkedName = plainSerializer.sawMarkedName
        try Self.check(plainSerializer.text.count, byteLimit)
    }

    private static func check(_ byteCount: Int, _ byteLimit: Int) throws(DatabaseError) {
        guard byteCount <= byteLimit else {
            throw DatabaseError(
                .documentTooLarge, "a document of \(byteCount) bytes of JSON exceeds the limit of \(byteLimit) bytes",
                hint: "keep large content in a blob")
        }
    }
}
