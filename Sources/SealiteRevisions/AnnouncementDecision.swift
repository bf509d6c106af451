/// The decision on a revision that a peer announces.
package enum AnnouncementDecision: Sendable, Hashable {
    /// The revision isn't stored and is wanted. The sender may end its history at one of these revisions, the first of
    /// which is the peer's last known one.
    case wanted(ancestors: [Version])
    /// The revision is stored, or its document isn't replicated.
    case known
    /// The revision is stored, on a branch with a conflict that waits for resolution.
    case conflict
}
