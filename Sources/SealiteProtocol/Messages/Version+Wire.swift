internal import SealiteJSON
package import SealiteRevisions

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
