/// The decision on a revision that a peer announces.
package enum AnnouncementVerdict: Sendable, Hashable {
    /// It is wanted, by someone who has these revisions, the peer's last known one first: its history may end at one of them.
    case wanted(ancestors: [Version])
    /// It is there, or its document is not replicated.
    case known
    /// It is there, on a branch that waits for a conflict's resolution.
    case conflict
}
