/// A revision to be sent to a peer, with its body.
package struct OutgoingRevision: Sendable, Hashable {
    package var version: Version
    /// The ancestors in a revision tree, newest first; in a database with version vectors, a single element with the
    /// text of the vector without its current version, or nothing if that text is empty.
    package var history: [Version]
    package var isDeleted: Bool
    /// The document's properties as JSON.
    package var body: [UInt8]
    /// The digests of the attachments to which the body refers, each as often as the body refers to it.
    package var attachments: [BlobDigest]

    package init(
        version: Version, history: [Version], isDeleted: Bool, body: [UInt8], attachments: [BlobDigest] = []
    ) {
        self.version = version
        self.history = history
        self.isDeleted = isDeleted
        self.body = body
        self.attachments = attachments
    }
}
