package import SealiteJSON

/// The current revision of a document that changed here, as one remote is to learn of it.
package struct LocalChange: Sendable, Hashable {
    package var sequence: UInt64
    package var documentID: String
    package var version: Version
    package var isDeleted: Bool
    /// A Boolean value that says whether a branch of the document waits for a conflict's resolution.
    package var hasConflict: Bool
    /// A Boolean value that says whether the document's time to be purged has come.
    package var isExpired: Bool
    /// The version last known to be the remote's current one.
    package var remoteVersion: Version?
    package var bodyByteCount: UInt64
    /// A Boolean value that says whether the change is offered whatever the remote is known to have, since that may have lost it.
    package var isReoffered = false

    package init(
        sequence: UInt64, documentID: String, version: Version, isDeleted: Bool, hasConflict: Bool = false,
        isExpired: Bool = false, remoteVersion: Version? = nil, bodyByteCount: UInt64
    ) {
        self.sequence = sequence
        self.documentID = documentID
        self.version = version
        self.isDeleted = isDeleted
        self.hasConflict = hasConflict
        self.isExpired = isExpired
        self.remoteVersion = remoteVersion
        self.bodyByteCount = bodyByteCount
    }

    /// The document's ID as a key of tables.
    package var key: ExactText { ExactText(documentID) }
}
