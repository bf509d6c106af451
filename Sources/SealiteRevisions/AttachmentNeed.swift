/// An attachment that a revision refers to and whose content the peer must send, because the database doesn't have it,
/// or has the content only in documents that the peer may not read.
package struct AttachmentNeed: Sendable, Hashable {
    package var digest: BlobDigest
    /// The length of the content in bytes; nil if the revision doesn't state it.
    package var byteCount: UInt64?
    /// A Boolean value that says whether the peer should compress the content when it sends it.
    package var isCompressible: Bool

    package init(digest: BlobDigest, byteCount: UInt64? = nil, isCompressible: Bool) {
        self.digest = digest
        self.byteCount = byteCount
        self.isCompressible = isCompressible
    }
}
