/// The decision on a revision that a peer proposes.
package enum ProposalDecision: Sendable, Hashable {
    /// The revision is wanted and is to be sent.
    case wanted
    /// The revision is stored already.
    case known
    /// The revision doesn't descend from the current version, which the associated value may name.
    case conflict(current: Version?)
    /// The revision is refused with an HTTP status.
    case refused(status: Int)
}
