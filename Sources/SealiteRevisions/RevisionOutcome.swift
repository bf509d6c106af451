/// The outcome of inserting a revision from a peer.
package enum RevisionOutcome: Sendable, Hashable {
    /// The revision became the document's current one.
    case inserted
    /// The revision became the document's current one, replacing a tombstone that it doesn't descend from.
    case resurrected
    /// The revision was stored already, or the document's version vector includes it.
    case known
    /// The revision was stored as a branch that conflicts with the current revision until the conflict is resolved.
    case conflict
    /// The revision conflicts and wasn't stored, because conflicts are refused.
    case conflictRefused
    /// The revision wasn't stored. It can be inserted after these attachments have been fetched from the peer.
    case needsAttachments([AttachmentNeed])
    /// The revision announced that access to the document was lost. `isPurged` says whether the document was purged.
    case accessRemoved(isPurged: Bool)
    /// The revision wasn't stored, because the filter refused it or it can't be stored at all. The status is an HTTP
    /// status.
    case refused(status: Int, reason: String)
    /// The revision wasn't stored, because the time of its version is too far ahead of this computer's clock. It can be
    /// stored later, or once the clock is right.
    case aheadOfClock(reason: String)
}
