/// A revision that came from a peer.
package struct IncomingRevision: Sendable, Hashable {
    package var documentID: String
    package var version: Version
    /// The ancestors in a revision tree, newest first, as far as the peer told.
    package var history: [Version]
    package var isDeleted: Bool
    /// A Boolean value that says whether the revision must not make a conflict.
    package var isConflictRefused: Bool
    /// The version from which the body is a delta; nil for a whole body.
    package var deltaSource: Version?
    /// JSON as it came, attachments' stubs included; none stands for an empty object.
    package var body: [UInt8]
    /// Attachments that were fetched for the revision itself: the peer may refer to them however much it has given since.
    package var given: Set<BlobDigest> = []

    package init(
        documentID: String, version: Version, history: [Version] = [], isDeleted: Bool = false,
        isConflictRefused: Bool = false, deltaSource: Version? = nil, body: [UInt8]
    ) {
        self.documentID = documentID
        self.version = version
        self.history = history
        self.isDeleted = isDeleted
        self.isConflictRefused = isConflictRefused
        self.deltaSource = deltaSource
        self.body = body
    }
}
