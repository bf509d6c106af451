/// The state of a document and what it descends from, as it is known: a version vector, the ids of a revision tree, the newest first, or
/// both, where the document had a tree before its first version.
package struct VersionHistory: Sendable, Hashable {
    /// The most ids of a tree that are kept behind a vector.
    package static let maximumRevisionCount = 20

    /// The vector; nil where the state is a revision of a tree.
    package let vector: VersionVector?
    /// The ids of the tree: the state and its ancestors, or, behind a vector, what the first version was made of and its ancestors.
    package let revisions: [RevisionID]

    /// Makes the history of a state with a vector.
    package init(_ vector: VersionVector, revisions: [RevisionID] = []) {
        (self.vector, self.revisions) = (vector, revisions)
    }

    /// Makes the history of a revision of a tree.
    ///
    /// - Parameters:
    ///   - revision: the revision.
    ///   - ancestors: its ancestors, the newest first.
    package init(_ revision: RevisionID, ancestors: [RevisionID] = []) {
        (vector, revisions) = (nil, [revision] + ancestors)
    }

    /// Reads a history in one text, as lists of changes have it: a version, a vector, ids of a tree, or a vector and ids.
    ///
    /// - Parameters:
    ///   - text: the text.
    ///   - me: the source that `*` stands for; nil where that isn't taken.
    /// - Throws: `malformed`, `duplicateSource`, `tooLong`.
    package init(_ text: String, me: SourceID? = nil) throws(VersionError) {
        let parts = try VersionText(text, me: me)
        if parts.heads.isEmpty {
            guard !parts.revisions.isEmpty, parts.rest.isEmpty else { throw .malformed }
            vector = nil
        } else {
            vector = try VersionVector(parts)
        }
        revisions = parts.revisions
    }

    /// Reads the history that a message has in two texts.
    ///
    /// - Parameters:
    ///   - version: the current version or revision.
    ///   - history: all else; empty where there is no more.
    /// - Throws: `malformed`, `duplicateSource`, `tooLong`.
    package init(version: String, history: String) throws(VersionError) {
        guard !version.utf8.contains(where: { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ";") }) else {
            throw .malformed
        }
        guard !history.utf8.allSatisfy({ $0 == UInt8(ascii: " ") }) else {
            try self.init(version)
            return
        }
        let isVersion = RevisionID(ofTree: version) == nil
        let hasMerged = history.utf8.contains(UInt8(ascii: ";"))
        try self.init("\(version)\(isVersion && !hasMerged ? ";" : ",")\(history)")
    }

    /// The ID of the state; nil of no history.
    package var id: RevisionID? { vector.map { RevisionID($0.current) } ?? revisions.first }

    /// The IDs of the state and of all that it is known to descend from: versions, and then revisions of a tree.
    package var ids: [RevisionID] { (vector?.versions ?? []).map { RevisionID($0) } + revisions }

    /// The text of the current version or revision.
    package var versionText: String { id?.description ?? "" }

    /// The text of all else; empty where there is no more.
    package var historyText: String {
        let ids = revisions.dropFirst(vector == nil ? 1 : 0).map(\.description).joined(separator: ", ")
        guard let history = vector?.historyText(), !history.isEmpty else { return ids }
        guard !ids.isEmpty else { return history }
        return history.utf8.last == UInt8(ascii: ";") ? "\(history) \(ids)" : "\(history), \(ids)"
    }

    /// The text, as lists of changes have it.
    package var text: String {
        let history = historyText
        guard !history.isEmpty else { return versionText }
        return "\(versionText)\(vector.map { $0.merged.isEmpty } ?? false ? "; " : ", ")\(history)"
    }
}
