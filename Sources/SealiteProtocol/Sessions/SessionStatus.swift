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
    /// The number of bytes of bodies processed, followed by the number known to need processing.
    package var completedByteCount: UInt64 = 0
    package var totalByteCount: UInt64 = 0
    /// The number of documents processed.
    package var documentCount: UInt64 = 0
    /// The numbers of documents by outcome.
    package var outcomes = OutcomeCounts()
    /// A Boolean value that says whether a checkpoint was saved at both sides, so that a later session begins further
    /// on.
    package var hasSavedCheckpoint = false
    /// A Boolean value that says whether the session has replicated everything at some time: it was idle, and no document was
    /// deferred to the next session.
    package var hasCaughtUp = false
    /// The collections whose replication checkpoint the remote has lost, so that everything is compared and offered
    /// again.
    package var lostCheckpoints: Set<Int> = []
    /// The names of the remote's collections, if the remote was asked for them and returned them.
    package var remoteCollections: [String]?

    /// A Boolean value that says whether the session made progress: a document was replicated, a checkpoint was saved,
    /// or it caught up.
    package var hasProgressed: Bool { documentCount > 0 || hasSavedCheckpoint || hasCaughtUp }
}
