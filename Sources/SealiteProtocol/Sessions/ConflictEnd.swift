/// The outcome of a resolved conflict.
package struct ConflictEnd: Sendable, Equatable {
    /// The side whose revision is current after the resolution: `local` or `remote`; `merged` for a new revision,
    /// `deleted` for a tombstone.
    package enum Winner: String, Sendable {
        case local, remote, merged, deleted
    }

    package let winner: Winner
    /// The id of the local revision that was in conflict.
    package let localRevisionID: String
    /// The id of the remote's revision that was in conflict.
    package let remoteRevisionID: String

    package init(_ winner: Winner, local: String, remote: String) {
        (self.winner, localRevisionID, remoteRevisionID) = (winner, local, remote)
    }
}
