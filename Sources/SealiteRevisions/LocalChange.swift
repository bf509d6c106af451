package import SealiteJSON

/// The current revision of a locally changed document, as it is announced or proposed to one remote.
package struct LocalChange: Sendable, Hashable {
    package var sequence: UInt64
    package var documentID: String
    package var version: Version
    package var isDeleted: Bool
    /// A Boolean value that says whether the document has a conflict that waits for resolution.
    package var hasConflict: Bool
    /// A Boolean value that says whether the document isn't sent: it has expired and is to be purged, or its id isn't one
    /// that a program stores, in a file that somebody else made.
    package var isWithheld: Bool
    /// The version last known to be the remote's current one; nil if none is known.
    package var remoteVersion: Version?
    package var bodyByteCount: UInt64
    /// A Boolean value that says whether the change is offered regardless of what the remote is known to have, because
    /// the remote may have lost it.
    package var isReoffered = false

    package init(
        sequence: UInt64, documentID: String, version: Version, isDeleted: Bool, hasConflict: Bool = false,
        isWithheld: Bool = false, remoteVersion: Version? = nil, bodyByteCount: UInt64
    ) {
        self.sequence = sequence
        self.documentID = documentID
        self.version = version
        self.isDeleted = isDeleted
        self.hasConflict = hasConflict
        self.isWithheld = isWithheld
        self.remoteVersion = remoteVersion
        self.bodyByteCount = bodyByteCount
    }

    /// The document's ID as a key of dictionaries, which is compared by its bytes.
    package var key: ExactText { ExactText(documentID) }
}
