internal import SealiteJSON

/// The state of a document with its known ancestry: a version vector, the ids of a revision tree, newest first, or
/// both, if the document had a tree before its first version.
package struct VersionHistory: Sendable, Hashable {
    /// The maximum number of tree ids that a history with a vector keeps.
    package static let maximumRevisionCount = 20

    /// The version vector; nil if the state is a tree revision.
    package let vector: VersionVector?
    /// The tree ids, newest first: those of the state and its ancestors or, in a history with a vector, those of the
    /// revision that the document's first version replaced and of its ancestors.
    package let revisions: [RevisionID]

    /// Creates the history of a state with a vector.
    package init(_ vector: VersionVector, revisions: [RevisionID] = []) {
        (self.vector, self.revisions) = (vector, revisions)
    }

    /// Creates the history of a tree revision.
    ///
    /// - Parameters:
    ///   - revision: the revision.
    ///   - ancestors: its ancestors, newest first.
    package init(_ revision: RevisionID, ancestors: [RevisionID] = []) {
        (vector, revisions) = (nil, [revision] + ancestors)
    }

    /// Parses a history in one text, as in lists of changes: a version, a vector, tree ids, or a vector and ids.
    ///
    /// - Parameters:
    ///   - text: the text.
    ///   - me: the source that `*` denotes; nil if `*` is invalid.
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

    /// Creates the history that a version of a peer's message names: a version, a revision, or a whole vector.
    ///
    /// - Throws: `malformed`, `duplicateSource`, `tooLong`.
    package init(_ version: Version) throws(VersionError) {
        switch version.form {
        case .revision(let revision): self.init(revision)
        case .version(let version): self.init(VersionVector(version))
        case .other(let text): try self.init(text.text)
        }
    }

    /// Parses a history in the two texts of a message.
    ///
    /// - Parameters:
    ///   - version: the current version or revision.
    ///   - history: the history without the current version or revision; may be empty.
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

    /// The ID of the state; nil if the history is empty.
    package var id: RevisionID? { vector.map { RevisionID($0.current) } ?? revisions.first }

    /// The IDs of the state and of all states that it is known to descend from: first the versions, then the revisions
    /// of a tree.
    package var ids: [RevisionID] { (vector?.versions ?? []).map { RevisionID($0) } + revisions }

    /// The text of the current version or revision; empty if the history is empty.
    package var versionText: String { id?.description ?? "" }

    /// The text of the history without the current version or revision; empty if there is nothing else.
    package var historyText: String {
        let ids = revisions.dropFirst(vector == nil ? 1 : 0).map(\.description).joined(separator: ", ")
        guard let history = vector?.historyText(), !history.isEmpty else { return ids }
        guard !ids.isEmpty else { return history }
        return history.utf8.last == UInt8(ascii: ";") ? "\(history) \(ids)" : "\(history), \(ids)"
    }

    /// The history in one text, as in lists of changes: the current version or revision, followed by the rest.
    package var text: String {
        let history = historyText
        guard !history.isEmpty else { return versionText }
        return "\(versionText)\(vector.map { $0.merged.isEmpty } ?? false ? "; " : ", ")\(history)"
    }
}
