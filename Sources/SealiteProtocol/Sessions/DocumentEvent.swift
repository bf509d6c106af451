/// A document that was replicated, or could not be.
package struct DocumentEvent: Sendable, Equatable {
    /// The collection's index in the session.
    package var collection: Int
    package var documentID: String
    package var isPush: Bool
    package var isDeleted = false
    /// A Boolean value that says whether access to the document was lost.
    package var isAccessRemoved = false
    /// The error because of which the document couldn't be replicated, `conflict` if a conflict waits for its
    /// resolution; nil if the document was replicated.
    package var error: SessionError?
    /// The outcome of the document's conflict; nil if there was none, or it isn't resolved.
    package var resolution: ConflictEnd?

    package init(
        collection: Int, documentID: String, isPush: Bool, isDeleted: Bool = false, isAccessRemoved: Bool = false,
        error: SessionError? = nil
    ) {
        self.collection = collection
        self.documentID = documentID
        self.isPush = isPush
        self.isDeleted = isDeleted
        self.isAccessRemoved = isAccessRemoved
        self.error = error
    }
}

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
