/// The outcome of inserting a revision from a peer.
package enum RevisionOutcome: Sendable, Hashable {
    /// The revision became the current one.
    case inserted
    /// The revision became the document's current one, replacing a tombstone that it doesn't descend from.
    case resurrected
    /// The revision was stored already.
    case known
    /// The revision was stored as a branch that conflicts with the current revision until the conflict is resolved.
    case conflict
    /// The revision conflicts and wasn't stored, because conflicts are refused.
    case conflictRefused
    /// The revision isn't stored before these attachments are fetched.
    case needsAttachments([AttachmentNeed])
    /// The revision announced the loss of access, and the document was purged or kept.
    case accessRemoved(isPurged: Bool)
    /// The revision wasn't stored, because the filter refused it or it can't be stored at all. The status is an HTTP
    /// status.
    case refused(status: Int, reason: String)
    /// The revision is a delta from a revision that isn't stored; the full body is needed.
    case deltaBaseMissing
}
