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
        /// A version of a version vector.
        case version(SourceVersion)
        /// Any other text from a peer: a whole vector, for example.
        case other(ExactText)
    }

    /// The kind, which the text determines.
    package let form: Form

    /// Creates the version that a text names.
    package init(_ text: String) {
        if let revision = RevisionID(ofTree: text) {
            form = .revision(revision)
        } else {
            form = (try? SourceVersion(text)).map { .version($0) } ?? .other(ExactText(text))
        }
    }

    /// Creates the version of an id.
    package init(_ revisionID: RevisionID) {
        form = revisionID.version.map { .version($0) } ?? .revision(revisionID)
    }

    /// The revision ID that the version is, of a tree or of a version vector; nil for any other text.
    package var id: RevisionID? {
        switch form {
        case .revision(let revisionID): revisionID
        case .version(let version): RevisionID(version)
        case .other: nil
        }
    }

    /// The revision of a tree; nil for any other version.
    package var revisionID: RevisionID? {
        if case .revision(let revisionID) = form { revisionID } else { nil }
    }

    /// The text.
    package var text: String {
        switch form {
        case .revision(let revisionID): revisionID.description
        case .version(let version): version.description
        case .other(let text): text.text
        }
    }

    /// The number of bytes of the text.
    package var textByteCount: Int {
        switch form {
        case .revision(let revisionID): revisionID.textByteCount
        case .version(let version): version.textByteCount
        case .other(let text): text.text.utf8.count
        }
    }

    package var description: String { text }
}
