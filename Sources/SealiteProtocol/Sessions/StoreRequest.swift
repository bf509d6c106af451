package import SealiteRevisions

/// A request of a session to the database. Each request concerns one collection, except that peers' checkpoints belong
/// to the whole database.
///
/// The session continues during a request; its result, a `StoreResult`, is returned under the same `TaskID`.
package enum StoreRequest: Sendable, Hashable {
    /// Loads the local copy of a replication checkpoint. The result is `checkpoint`.
    case loadCheckpoint(id: String)
    /// Saves the local copy of a replication checkpoint. The result is `done`.
    case saveCheckpoint(id: String, body: [UInt8])
    /// Gives the database a new source id if it has this one, and new versions to the documents that it wrote under this
    /// one and that the remote isn't known to have: the file was replaced by an older copy of itself, so the remote may
    /// have other documents with later versions of this source. The result is `newSource`.
    case startNewSource(replacing: String)
    /// Loads a checkpoint that is stored for a peer. The result is `peerCheckpoint`.
    case loadPeerCheckpoint(id: String)
    /// Stores a peer's checkpoint if `revision` is the revision of the stored one (empty if none is stored). The result
    /// is `peerCheckpointSaved`, or `peerCheckpointConflict` if the stored one has another revision.
    case savePeerCheckpoint(id: String, revision: String, body: [UInt8])
    /// Finds local changes to send. The result is `changes`.
    case scan(ChangeScan)
    /// Loads revisions to send, with their bodies. The result is `revisions`, in the order of the queries.
    case loadRevisions([RevisionQuery])
    /// Decides how to continue with a change that the peer refused as a conflict; `serverVersion` is the version that
    /// the peer has, if it is known. The result is `reconsidered`.
    case reconsider(LocalChange, serverVersion: Version?)
    /// Records pushed revisions as the remote's current revisions, by the rules of `compare`. Ignores a stale revision:
    /// one that neither descends from the remote's known revision nor replaces its tombstone. The result is `synced`.
    case markSynced([SyncedRevision])
    /// Decides which of the revisions that the peer announced to request from it. The result is `compared`, in the
    /// order of the rows.
    ///
    /// A revision that is stored already is recorded as the remote's current one, unless it is stale: an ancestor of
    /// the remote's known revision. If it lies on another branch than the local current one, the remote switched to
    /// that branch: so does this side, unless it has changes that the remote lacks, which is a conflict.
    case compare([ChangesRequest.Row])
    /// Decides which of the revisions that the peer proposed are wanted; `pulledThrough` is that of
    /// `IncomingRevision`. The result is `decided`, in the order of the rows.
    case decide([ProposeChangesRequest.Row], pulledThrough: UInt64)
    /// Inserts revisions of the peer in one transaction. The result is `inserted`, in their order; it is returned when
    /// they are durable. The revisions may refer to the `given` attachments even if their content is stored for other
    /// documents.
    case insert([IncomingRevision], given: GivenAttachments)
    /// Purges documents to which access was lost, if the pull filter accepts that. The result is `accessRemoved`, in
    /// the order of the rows.
    case removeAccess([ChangesRequest.Row])
    /// Loads the changes that the remote refused in earlier sessions and that are still current, at most the scan's
    /// limit. Obsolete refusals are removed. The result is `changes`.
    case loadRefused(ChangeScan)
    /// Stores refusals of one side: that the remote refused revisions and doesn't have them, or that this side couldn't
    /// store revisions of the remote. The result is `refusalsRecorded`; it is returned when they are durable.
    case recordRefusals([Refusal])
    /// Removes the refusals of documents, given by ID, by one side, which need no more work, for example because the
    /// remote has accepted them, or they were stored. The result is `done`.
    case forgetRefusals([String], by: Refusal.Side)

    /// A Boolean value that says whether the request belongs to the queue for reading. Such requests insert and purge
    /// nothing; `compare` and `reconsider` may record the remote's known revision or make a stored revision current.
    /// They run concurrently with the requests of the queue for writing, and possibly before an earlier one of these.
    package var isReading: Bool {
        switch self {
        case .scan, .loadRevisions, .compare, .decide, .reconsider: true
        default: false
        }
    }
}
