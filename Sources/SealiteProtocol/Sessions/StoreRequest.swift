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
    /// Records pushed revisions as the remote's current ones, by the rules of `compare` → `synced`. Ignores a stale
    /// revision: one that neither descends from the remote's known revision nor replaces its tombstone.
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

    /// A Boolean value that says whether the request changes little or nothing. Such requests run concurrently with
    /// others, possibly before an earlier one.
    package var isReading: Bool {
        switch self {
        case .scan, .loadRevisions, .compare, .decide, .reconsider: true
        default: false
        }
    }
}

/// The database's answer to a request.
package enum StoreResult: Sendable, Hashable {
    case checkpoint([UInt8]?)
    case peerCheckpoint(GetCheckpointReply?)
    case peerCheckpointSaved(revision: String)
    case peerCheckpointConflict
    case changes(ChangePage)
    case revisions([LoadedRevision])
    case reconsidered(Reconsideration)
    case compared([AnnouncementVerdict])
    /// The documents whose local current revision lies on another branch than the pushed one.
    case synced(conflicting: [String])
    case decided([ProposalVerdict])
    case inserted([RevisionOutcome])
    /// For each document, whether it was purged.
    case accessRemoved([Bool])
    /// The sequence of the last refusal that exceeded the limit; nil if all are stored.
    case refusalsRecorded(overflow: UInt64?)
    case done
    case failed(StoreFailure)
}

/// A failure of the database to perform a request.
package struct StoreFailure: Error, Sendable, Hashable {
    /// A Boolean value that says whether a retry may help (busy, disk full).
    package var isTransient: Bool
    /// The failure in words, without content of documents.
    package var reason: String

    package init(isTransient: Bool, reason: String) {
        self.isTransient = isTransient
        self.reason = reason
    }

    /// The reply to a peer's request that failed because of it.
    package var reply: BLIPErrorReply { BLIPErrorReply(code: isTransient ? 503 : 500, message: reason) }
}

/// A search for local changes.
package struct ChangeScan: Sendable, Hashable {
    /// The sequence after which to search.
    package var after: UInt64
    /// Most changes to return.
    package var limit: Int
    /// The only documents to consider; nil for all.
    package var documentIDs: [String]?
    /// A Boolean value that says whether tombstones are left out.
    package var isActiveOnly: Bool
    /// A Boolean value that says whether changes are left out that the remote is known to have or that the push filter
    /// rejects.
    package var isForPush: Bool
    /// The sequence up to which changes are returned as if the remote had none of them.
    package var reofferedThrough: UInt64 = 0

    package init(
        after: UInt64, limit: Int, documentIDs: [String]? = nil, isActiveOnly: Bool, isForPush: Bool,
        reofferedThrough: UInt64 = 0
    ) {
        self.after = after
        self.limit = limit
        self.documentIDs = documentIDs
        self.isActiveOnly = isActiveOnly
        self.isForPush = isForPush
        self.reofferedThrough = reofferedThrough
    }
}

/// Local changes, ordered by sequence.
package struct ChangePage: Sendable, Hashable {
    package var changes: [LocalChange]
    /// The sequence up to which everything was examined: changes that aren't listed need not be sent.
    package var scannedThrough: UInt64
    /// A Boolean value that says whether there were no more changes at that time.
    package var isEnd: Bool

    package init(changes: [LocalChange], scannedThrough: UInt64, isEnd: Bool) {
        self.changes = changes
        self.scannedThrough = scannedThrough
        self.isEnd = isEnd
    }
}
