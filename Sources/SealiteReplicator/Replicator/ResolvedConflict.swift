internal import SealiteProtocol

/// The end of a conflict. What a side that didn't win had changed is stored nowhere any more.
public struct ResolvedConflict: Sendable, Hashable {
    /// The document that counts now.
    public enum Winner: String, Sendable {
        /// The one of this side.
        case local
        /// The one of the remote.
        case remote
        /// One with the properties that the resolver gave.
        case merged
        /// None: it is deleted.
        case deleted
    }

    /// The document that counts now.
    public let winner: Winner
    /// The id of this side's revision that was in conflict.
    public let localRevisionID: String
    /// The id of the remote's revision that was in conflict.
    public let remoteRevisionID: String

    init(_ end: ConflictEnd) {
        winner = Winner(rawValue: end.winner.rawValue) ?? .merged
        (localRevisionID, remoteRevisionID) = (end.localRevisionID, end.remoteRevisionID)
    }
}
