/// The receiver's decision on a revision that a peer proposes to send.
package enum ProposalDecision: Sendable, Hashable {
    /// The revision is wanted and is to be sent.
    case wanted
    /// The revision is the current one already, or the document's version vector includes it.
    case known
    /// The revision doesn't descend from the receiver's current version of the document, which `current` names if it is
    /// known.
    case conflict(current: Version?)
    /// The revision is refused for another reason than a conflict, with an HTTP status.
    case refused(status: Int)
}
