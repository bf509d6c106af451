/// The decision on a revision that a peer proposes.
package enum ProposalVerdict: Sendable, Hashable {
    /// It is to be sent.
    case wanted
    /// It is there.
    case known
    /// It does not descend from the current version, which may be named.
    case conflict(current: Version?)
    /// It is refused with a status of HTTP.
    case refused(status: Int)
}
