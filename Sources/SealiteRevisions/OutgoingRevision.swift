/// A revision with its body.
package struct OutgoingRevision: Sendable, Hashable {
    package var version: Version
    /// The ancestors, newest first.
    package var history: [Version]
    package var isDeleted: Bool
    /// The properties as JSON.
    package var body: [UInt8]
    /// The attachments that the body refers to, with repetitions.
    package var attachments: [BlobDigest]
    /// The version from which the body is a delta; nil for a whole body.
    package var deltaSource: Version?

    package init(
        version: Version, history: [Version], isDeleted: Bool, body: [UInt8], attachments: [BlobDigest] = [],
        deltaSource: Version? = nil
    ) {
        self.version = version
        self.history = history
        self.isDeleted = isDeleted
        self.body = body
        self.attachments = attachments
        self.deltaSource = deltaSource
    }
}
