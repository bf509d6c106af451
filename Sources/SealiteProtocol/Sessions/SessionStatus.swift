/// The status of a session.
package struct SessionStatus: Sendable, Hashable {
    package enum Activity: Sendable, Hashable {
        /// Agreeing on collections and checkpoints.
        case connecting
        /// Caught up: no work is in progress and all checkpoints are saved.
        case idle
        case busy
    }

    package var activity: Activity
    /// The number of bytes of document bodies that were processed.
    package var completedByteCount: UInt64 = 0
    /// The number of bytes of document bodies that are known to need processing, including the processed ones.
    package var totalByteCount: UInt64 = 0
    /// The number of documents that were processed, whatever their outcome.
    package var documentCount: UInt64 = 0
    /// The numbers of documents by outcome.
    package var outcomes = OutcomeCounts()
    /// A Boolean value that says whether a checkpoint was saved at both sides, so that a later session begins further
    /// on.
    package var hasSavedCheckpoint = false
    /// A Boolean value that says whether the checkpoint of every collection was saved at both sides, so that later
    /// sessions continue a reset without being told to.
    package var hasSavedAllCheckpoints = false
    /// A Boolean value that says whether the session has replicated everything at some time: it was idle, and no
    /// document was deferred to the next session.
    package var hasCaughtUp = false
    /// The indices of the collections whose replication checkpoint the remote has lost, so that everything in them is
    /// compared and offered again.
    package var lostCheckpoints: Set<Int> = []
    /// A Boolean value that says whether the database's file was replaced by an older copy of itself, so that the database
    /// got a new source id.
    package var hasNewSource = false
    /// The names of the remote's collections; nil if the remote wasn't asked for them or didn't return them.
    package var remoteCollections: [String]?

    /// A Boolean value that says whether the session made progress: a document was replicated, a checkpoint was saved,
    /// or it caught up.
    package var hasProgressed: Bool { documentCount > 0 || hasSavedCheckpoint || hasCaughtUp }
}
