package import SealiteJSON

/// The version of a document, as the database, a session and a peer name it. Two versions are equal if their texts have
/// the same bytes.
///
/// Code that needs a revision of a tree uses `revisionID`; all other code passes a version on unchanged.
package struct Version: Sendable, Hashable, CustomStringConvertible {
    /// The kinds of versions.
    package enum Form: Sendable, Hashable {
        /// A revision of a revision tree.
        case revision(RevisionID)
        /// A text that doesn't name a revision of a tree: `time@source`, a vector of such versions, or any other text
        /// from a peer.
        case other(ExactText)
    }

    /// The kind, which the text determines.
    package let form: Form

    /// Creates the version that a text names.
    package init(_ text: String) {
        form = RevisionID(text).map { .revision($0) } ?? .other(ExactText(text))
    }

    /// Creates the version that is a revision of a tree.
    package init(_ revisionID: RevisionID) { form = .revision(revisionID) }

    /// The revision of a tree; nil for any other version.
    package var revisionID: RevisionID? {
        if case .revision(let revisionID) = form { revisionID } else { nil }
    }

    /// The text.
    package var text: String {
        switch form {
        case .revision(let revisionID): revisionID.description
        case .other(let text): text.text
        }
    }

    /// The number of bytes of the text.
    package var textByteCount: Int {
        switch form {
        case .revision(let revisionID): revisionID.textByteCount
        case .other(let text): text.text.utf8.count
        }
    }

    package var description: String { text }
}
