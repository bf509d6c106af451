package import SealiteJSON

/// The text by which the database, a session and a peer name a revision of a document: a revision ID of a tree, a
/// version `time@source`, or any other text. Two versions are equal if their texts have the same bytes.
///
/// Code that needs a revision of a tree uses `revisionID`; all other code passes a version on unchanged.
package struct Version: Sendable, Hashable, CustomStringConvertible {
    /// The kinds of texts that name a revision.
    package enum Form: Sendable, Hashable {
        /// A revision of a revision tree.
        case revision(RevisionID)
        /// A version of a version vector.
        case version(SourceVersion)
        /// Any other text from a peer: a whole vector, for example.
        case other(ExactText)
    }

    /// The kind of the text, with the value parsed from it.
    package let form: Form

    /// Creates the version that a text names.
    package init(_ text: String) {
        if let revision = RevisionID(ofTree: text) {
            form = .revision(revision)
        } else {
            form = (try? SourceVersion(text)).map { .version($0) } ?? .other(ExactText(text))
        }
    }

    /// Creates the version whose text is that of a revision ID.
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

    /// The ID of a revision of a tree; nil for any other version.
    package var revisionID: RevisionID? {
        if case .revision(let revisionID) = form { revisionID } else { nil }
    }

    /// The text that names the revision.
    package var text: String {
        switch form {
        case .revision(let revisionID): revisionID.description
        case .version(let version): version.description
        case .other(let text): text.text
        }
    }

    /// The number of bytes of the text in UTF-8.
    package var textByteCount: Int {
        switch form {
        case .revision(let revisionID): revisionID.textByteCount
        case .version(let version): version.textByteCount
        case .other(let text): text.text.utf8.count
        }
    }

    package var description: String { text }
}
