package import SealiteRevisions

/// A request of a session to the database. Each request concerns one collection; peers' checkpoints belong to the
/// database.
///
/// The session continues during a request; its result is returned under the same `TaskID`.
package enum StoreRequest: Sendable, Hashable {
    /// Loads the local copy of a replication checkpoint → `checkpoint`.
    case loadCheckpoint(id: String)
    /// Saves the local copy of a replication checkpoint → `done`.
    case saveCheckpoint(id: String, body: [UInt8])
    /// Loads a checkpoint stored for a peer → `peerCheckpoint`.
    case loadPeerCheckpoint(id: String)
    /// Stores a peer's checkpoint if `revision` is the stored one's (empty if there is none) → `peerCheckpointSaved`,
    /// or `peerCheckpointConflict`.
    case savePeerCheckpoint(id: String, revision: String, body: [UInt8])
    /// Finds local changes to send → `changes`.
    case scan(ChangeScan)
    /// Loads revisions to send, with bodies → `revisions`, in order.
    case loadRevisions([RevisionQuery])
    /// Decides on a change that the peer refused as a conflict → `reconsidered`.
    case reconsider(LocalChange, serverVersion: Version?)
    /// Records pushed revisions as the remote's current revisions, by the rules of `compare` → `synced`. Ignores a
    /// stale revision: one that neither descends from the remote's known revision nor replaces its tombstone.
    case markSynced([SyncedRevision])
    /// Decides on announced revisions → `compared`, in order.
    ///
    /// A revision that is stored already is recorded as the remote's current one, unless it is stale: an ancestor of
    /// the remote's known revision. If it lies on another branch than the local current one, the remote switched to
    /// that branch: so does this side, unless it has changes that the remote lacks, which is a conflict.
    case compare([ChangesRequest.Row])
    /// Decides on proposed revisions → `decided`, in order.
    case decide([ProposeChangesRequest.Row])
    /// Inserts revisions in one transaction → `inserted`, in order. They are durable when the result is returned. The
    /// revisions may refer to the given attachments even if the content is stored for other documents.
    case insert([IncomingRevision], given: GivenAttachments)
    /// Purges documents whose access was lost, if the pull filter accepts that → `accessRemoved`, in order.
    case removeAccess([ChangesRequest.Row])
    /// Loads the changes that the remote refused in earlier sessions and that are still current → `changes`, at most
    /// the scan's limit. Obsolete refusals are removed.
    case loadRefused(ChangeScan)
    /// Stores that the remote refused revisions and doesn't have them → `refusalsRecorded`. Durable when the result is
    /// returned.
    case recordRefusals([Refusal])
    /// Removes refusals of documents that the remote has accepted since → `done`.
    case forgetRefusals([String])

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
