/// A revision that one side of a replication refused: the remote one that was pushed, or this side one that was pulled.
package struct Refusal: Sendable, Hashable {
    /// The side that refused a revision.
    package enum Side: Sendable, Hashable {
        /// The remote refused the local document's current revision, and doesn't have it.
        case remote
        /// This side couldn't store the remote's revision.
        case local
    }

    package var side = Side.remote
    package var documentID: String
    /// The refused revision. If this side refused it, the text may be cut.
    package var version: Version
    /// The local sequence of the refused change; 0 if this side refused the remote's revision.
    package var sequence: UInt64
    /// The domain that defines `code`: `HTTP` if `code` is an HTTP status, `ownDomain` for codes of this library.
    package var domain: String
    package var code: Int
    /// The reason of the refusal as text, which may include the remote's text.
    package var reason: String

    /// The domain of the codes of this library.
    package static let ownDomain = "Sealite"
    /// The code, in `ownDomain`, of a version whose time is too far ahead of this computer's clock.
    package static let aheadOfClockCode = 1
    /// The HTTP statuses of failures after which another attempt may succeed.
    package static let transientStatuses: Set<Int> = [408, 429, 502, 503, 504]

    package init(
        documentID: String, version: Version, sequence: UInt64, domain: String, code: Int, reason: String
    ) {
        (self.documentID, self.version, self.sequence) = (documentID, version, sequence)
        (self.domain, self.code, self.reason) = (domain, code, reason)
    }

    /// A Boolean value that says whether the same revision may be accepted later although neither side changes it: once
    /// the clock is right, the disk has space, or a database or peer isn't busy.
    package var isCuredByTime: Bool {
        domain == Self.ownDomain
            ? code == Self.aheadOfClockCode : domain == "HTTP" && Self.transientStatuses.contains(code)
    }
}

/// The database's decision how to continue with a change that the peer refused because it has another version of the
/// document.
package enum RefusedChangeDecision: Sendable, Hashable {
    /// Propose the associated change: the document's current revision, with a version that the peer has as the one to
    /// replace.
    case propose(LocalChange)
    /// Nothing needs to be sent any more: the peer has or had the document's current revision, or the document is gone.
    case unnecessary
    /// The document's current revision isn't to be sent: the push filter or the selection rejects it, for example.
    case excluded
    /// The change conflicts with the peer's version of the document.
    case conflict
}

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
