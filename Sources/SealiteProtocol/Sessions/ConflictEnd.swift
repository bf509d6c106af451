/// The end of a conflict.
package struct ConflictEnd: Sendable, Equatable {
    /// The side whose document counts now: `local` or `remote`; `merged` for another content, `deleted` for none.
    package enum Winner: String, Sendable {
        case local, remote, merged, deleted
    }

    package let winner: Winner
    /// The revisions that were in conflict.
    package let localRevisionID: String
    package let remoteRevisionID: String

    package init(_ winner: Winner, local: String, remote: String) {
        (self.winner, localRevisionID, remoteRevisionID) = (winner, local, remote)
    }
}
