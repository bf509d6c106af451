internal import SealiteJSON

/// The ID of a document's revision in messages. Two IDs are equal where their texts have the same bytes.
///
/// In revision trees it is `generation-digest`; Sync Gateway passes on digests that are not hexadecimal, so the digest is any
/// text. In version vectors it is `time@source`, or a whole vector in lists of changes; those pass through unread until the
/// fourth version of the protocol is spoken.
package struct WireRevisionID: Hashable, Sendable, CustomStringConvertible {
    private let exact: ExactText
    /// The text.
    package var text: String { exact.text }

    /// Makes an ID of any text.
    package init(_ text: String) { exact = ExactText(text) }

    package var description: String { text }

    /// The generation of a revision-tree ID, 1 or more; nil for a version or a malformed text.
    package var generation: UInt64? {
        guard let dash = text.utf8.firstIndex(of: UInt8(ascii: "-")),
            text.utf8.index(after: dash) != text.utf8.endIndex,
            let number = UInt64(text[..<dash]), number > 0, text.utf8.first != UInt8(ascii: "+")
        else { return nil }
        return number
    }

    /// The text behind the generation; nil for a version or a malformed text.
    package var digest: Substring? {
        guard generation != nil, let dash = text.utf8.firstIndex(of: UInt8(ascii: "-")) else { return nil }
        return text[text.utf8.index(after: dash)...]
    }

    /// A Boolean value that says whether the ID is a version (`time@source`) or a vector of versions.
    package var isVersion: Bool { text.utf8.contains(UInt8(ascii: "@")) }

    /// Returns whether an ID comes before another one in the order of revision trees: by generation, then by digest, byte by byte. Texts that are no such ID come first.
    package static func treeOrder(_ left: WireRevisionID, _ right: WireRevisionID) -> Bool {
        let (leftGeneration, rightGeneration) = (left.generation ?? 0, right.generation ?? 0)
        guard leftGeneration == rightGeneration else { return leftGeneration < rightGeneration }
        return (left.digest ?? "").utf8.lexicographicallyPrecedes((right.digest ?? "").utf8)
    }

    /// Reads a revision ID of a peer.
    ///
    /// - Throws: `badProperty` if it is empty or neither kind, `tooLarge` above the limit.
    package init(checking text: String, limits: MessageLimits) throws(MessageError) {
        guard text.utf8.count <= limits.revisionIDByteCount else {
            throw MessageError(.tooLarge, "a revision ID has more than \(limits.revisionIDByteCount) bytes")
        }
        self.init(text)
        guard generation != nil || isVersion else { throw MessageError(.badProperty, "a revision ID is invalid") }
    }

    /// Reads a history: the ancestors of a revision, newest first, separated by commas.
    ///
    /// - Throws: `badProperty`, `tooLarge` for any of them, or for too many.
    package static func history(
        parsing text: String, limits: MessageLimits
    ) throws(MessageError) -> [WireRevisionID] {
        var history: [WireRevisionID] = []
        for part in text.split(separator: ",") {
            guard history.count < limits.historyCount else {
                throw MessageError(.tooLarge, "a history has more than \(limits.historyCount) revisions")
            }
            history.append(try WireRevisionID(checking: String(part.drop { $0 == " " }), limits: limits))
        }
        return history
    }
}
