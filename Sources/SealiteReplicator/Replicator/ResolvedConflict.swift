internal import SealiteProtocol

/// The outcome of a resolved conflict. The changes of a side that lost are no longer stored in the database.
public struct ResolvedConflict: Sendable, Hashable {
    /// The side whose revision is current after the resolution.
    public enum Winner: String, Sendable {
        /// The local revision.
        case local
        /// The remote revision.
        case remote
        /// A new revision with the properties that the resolver returned.
        case merged
        /// A tombstone: the resolver deleted the document.
        case deleted
    }

    /// The side whose revision is current after the resolution.
    public let winner: Winner
    /// The id of the local revision that was in conflict.
    public let localRevisionID: String
    /// The id of the remote revision that was in conflict.
    public let remoteRevisionID: String

    init(_ end: ConflictEnd) {
        winner =
            switch end.winner {
            case .local: .local
            case .remote: .remote
            case .merged: .merged
            case .deleted: .deleted
            }
        (localRevisionID, remoteRevisionID) = (end.localRevisionID, end.remoteRevisionID)
    }
}
