/// The parsed text of a vector and the tree ids after it (Documentation/Replication.md, "Messages"): `cv, mv, mv; pv,
/// pv, 2-abc, 1-def`.
struct VersionText {
    /// The maximum length in bytes of a text that is read.
    static let maximumByteCount = 65_536

    /// The versions before the semicolon, the current one first; all versions if there is no semicolon.
    private(set) var heads: [SourceVersion] = []
    /// The versions after the semicolon.
    private(set) var rest: [SourceVersion] = []
    /// The tree ids, in the order of the text.
    private(set) var revisions: [RevisionID] = []

    /// Parses the text of a vector, of tree ids, or of both.
    ///
    /// - Parameters:
    ///   - text: the text.
    ///   - me: the source that `*` denotes; nil if `*` is invalid.
    /// - Throws: `malformed`, `tooLong`.
    init(_ text: String, me: SourceID?) throws(VersionError) {
        guard text.utf8.count <= Self.maximumByteCount else { throw .tooLong }
        // Split by bytes and not by characters: a digest may begin with a combining mark, which Swift combines with the
        // comma before it into one character.
        let halves = text.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        guard halves.count <= 2 else { throw .malformed }
        for (index, half) in halves.enumerated() {
            guard index == 0 || revisions.isEmpty else { throw .malformed }
            // After merged versions the part after the semicolon may be empty.
            if index == 1, half.allSatisfy({ $0 == UInt8(ascii: " ") }) { break }
            var parts = half.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map(Self.trimmed)
            // Sync Gateway separates the tree ids from the semicolon after merged versions by a comma.
            if index == 1, heads.count > 1, parts.count > 1, parts[0].isEmpty {
                guard RevisionID(ofTree: parts[1]) != nil else { throw .malformed }
                parts.removeFirst()
            }
            for part in parts { try read(part, isHead: index == 0, me: me) }
        }
        guard !heads.isEmpty || halves.count == 1 else { throw .malformed }
    }

    private mutating func read(_ part: String, isHead: Bool, me: SourceID?) throws(VersionError) {
        guard heads.count + rest.count + revisions.count < VersionVector.maximumReadCount else { throw .tooLong }
        // No version begins with digits and a hyphen.
        if let revision = RevisionID(ofTree: part) {
            revisions.append(revision)
        } else {
            guard revisions.isEmpty else { throw .malformed }
            let version = try SourceVersion(part, me: me)
            if isHead { heads.append(version) } else { rest.append(version) }
        }
    }

    private static func trimmed(_ part: Substring.UTF8View) -> String {
        let space = UInt8(ascii: " ")
        let end = part.lastIndex { $0 != space }.map { part.index(after: $0) } ?? part.startIndex
        return String(decoding: part[..<end].drop { $0 == space }, as: UTF8.self)
    }
}

extension VersionVector {
    /// Parses the text of a vector; ids of a revision tree after its versions are an error.
    ///
    /// - Parameters:
    ///   - text: the text.
    ///   - me: the source that `*` denotes; nil if `*` is invalid.
    /// - Throws: `malformed`, `duplicateSource`, `tooLong`.
    package init(_ text: String, me: SourceID? = nil) throws(VersionError) {
        let parts = try VersionText(text, me: me)
        guard parts.revisions.isEmpty else { throw .malformed }
        try self.init(parts)
    }

    init(_ parts: VersionText) throws(VersionError) {
        guard let current = parts.heads.first else { throw .malformed }
        try self.init(current: current, merged: Array(parts.heads.dropFirst()), previous: parts.rest)
    }

    /// Returns the vector's text, in which `*` stands for the source `me`.
    package func text(me: SourceID? = nil) -> String {
        let history = historyText(me: me)
        guard !history.isEmpty else { return current.text(me: me) }
        return "\(current.text(me: me))\(merged.isEmpty ? "; " : ", ")\(history)"
    }

    /// Returns the text of all versions except the current one, as in a message; `*` stands for the source `me`.
    func historyText(me: SourceID? = nil) -> String {
        let previous = self.previous.map { $0.text(me: me) }.joined(separator: ", ")
        guard !merged.isEmpty else { return previous }
        let merged = self.merged.map { $0.text(me: me) }.joined(separator: ", ")
        return previous.isEmpty ? "\(merged);" : "\(merged); \(previous)"
    }
}
