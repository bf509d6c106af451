package import SealiteJSON

/// The version of a document, as the database, a session and a peer name it. Two versions are equal where their texts have the
/// same bytes.
///
/// Whoever needs a revision of a tree takes `revisionID`; all others pass a version on as it came.
package struct Version: Sendable, Hashable, CustomStringConvertible {
    /// The kinds of versions.
    package enum Form: Sendable, Hashable {
        /// A revision of a revision tree.
        case revision(RevisionID)
        /// A text that names no revision of a tree: `time@source`, a vector of such versions, or anything else that a peer sends.
        case other(ExactText)
    }

    /// The kind, which follows from the text alone.
    package let form: Form

    /// Makes the version that a text names.
    package init(_ text: String) {
        form = RevisionID(text).map { .revision($0) } ?? .other(ExactText(text))
    }

    /// Makes the version that is a revision of a tree.
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
