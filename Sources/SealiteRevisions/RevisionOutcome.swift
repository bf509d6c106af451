/// The outcome of a revision that came from a peer.
package enum RevisionOutcome: Sendable, Hashable {
    /// It is the current revision now.
    case inserted
    /// It is the current revision now, over a tombstone that it does not descend from.
    case resurrected
    /// It was there already.
    case known
    /// It is stored as a branch, and conflicts with the current revision until someone resolves that.
    case conflict
    /// It conflicts, and is not stored, since it must not make a conflict.
    case conflictRefused
    /// It is not stored before these attachments are fetched.
    case needsAttachments([AttachmentNeed])
    /// It said that access was lost, and the document is purged or kept.
    case accessRemoved(isPurged: Bool)
    /// It is not stored: the filter refused it, or it cannot be stored at all. The status is one of HTTP.
    case refused(status: Int, reason: String)
    /// The revision of which it is a delta is not there; the whole is wanted.
    case deltaBaseMissing
}

/// An attachment that a revision refers to and whose content the peer must send: the database does not have it, or has it only
/// for documents that the peer may not read.
package struct AttachmentNeed: Sendable, Hashable {
    package var digest: BlobDigest
    /// The length of the content, where the revision states it.
    package var byteCount: UInt64?
    package var isCompressible: Bool

    package init(digest: BlobDigest, byteCount: UInt64? = nil, isCompressible: Bool) {
        self.digest = digest
        self.byteCount = byteCount
        self.isCompressible = isCompressible
    }
}
