/// The database's decision whether to request a revision that a peer announces.
package enum AnnouncementDecision: Sendable, Hashable {
    /// The revision is requested. The peer may end the history that it sends at one of `ancestors`, which are stored
    /// revisions of the document; the first of these is the revision that the peer was last known to have, if one is
    /// known.
    case wanted(ancestors: [Version])
    /// The revision isn't requested, since it is stored, the document's version vector includes it, or its document
    /// isn't replicated.
    case known
    /// The revision isn't requested: it is stored on a branch with a conflict that waits for resolution.
    case conflict
}
