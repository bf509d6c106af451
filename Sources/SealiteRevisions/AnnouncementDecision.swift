/// The decision on a revision that a peer announces.
package enum AnnouncementDecision: Sendable, Hashable {
    /// The revision isn't stored and is wanted. The peer may end the history that it sends at one of `ancestors`; the
    /// first of these is the peer's last known revision, if one is known.
    case wanted(ancestors: [Version])
    /// The revision is stored, or its document isn't replicated.
    case known
    /// The revision is stored, on a branch with a conflict that waits for resolution.
    case conflict
}
