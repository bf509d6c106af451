/// The name of a document's revision, as it stands on the wire.
///
/// In revision trees it is `generation-digest`; Sync Gateway hands on digests that are not hexadecimal, so that the
/// digest is any text. In version vectors it is `time@source`, or a whole vector in lists of changes; those pass
/// through opaque until the protocol's fourth version is spoken.
package struct WireRevisionID: Hashable, Sendable, CustomStringConvertible {
    /// The text.
    package let text: String

    /// Takes a text as it is.
    package init(_ text: String) { self.text = text }

    package var description: String { text }

    /// The generation of a revision-tree ID, 1 or more; nil for a version or a malformed text.
    package var generation: UInt64? {
        guard let dash = text.utf8.firstIndex(of: UInt8(ascii: "-")),
            text.utf8.index(after: dash) != text.utf8.endIndex,
            let number = UInt64(text[..<dash]), number > 0, text.utf8.first != UInt8(ascii: "+")
        else { return nil }
        return number
    }

    /// What follows the generation.
    package var digest: Substring? {
        guard generation != nil, let dash = text.utf8.firstIndex(of: UInt8(ascii: "-")) else { return nil }
        return text[text.utf8.index(after: dash)...]
    }

    /// Whether it is a version (`time@source`) or a vector of them.
    package var isVersion: Bool { text.utf8.contains(UInt8(ascii: "@")) }

    /// Revision-tree order: by generation, then by digest, byte by byte. Texts that are no such ID come first.
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
        self.text = text
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
