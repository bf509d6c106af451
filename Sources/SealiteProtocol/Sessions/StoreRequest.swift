package import SealiteRevisions

/// A request of a session to the database. Each request is about one collection; peers' checkpoints are the database's.
///
/// The session goes on while a request is under way; its result comes back under the same `TaskID`.
package enum StoreRequest: Sendable, Hashable {
    /// The local copy of a replication checkpoint → `checkpoint`.
    case loadCheckpoint(id: String)
    /// → `done`.
    case saveCheckpoint(id: String, body: [UInt8])
    /// A checkpoint that is kept for a peer → `peerCheckpoint`.
    case loadPeerCheckpoint(id: String)
    /// Stores a peer's checkpoint if the revision is the stored one's (empty: none) → `peerCheckpointSaved`, or
    /// `peerCheckpointConflict`.
    case savePeerCheckpoint(id: String, revision: String, body: [UInt8])
    /// Local changes to send → `changes`.
    case scan(ChangeScan)
    /// Revisions to send, with bodies → `revisions`, in order.
    case loadRevisions([RevisionQuery])
    /// Decides on a change that the peer refused as a conflict → `reconsidered`.
    case reconsider(LocalChange, serverVersion: Version?)
    /// Records revisions that were pushed as the remote's current ones, by the rules of `compare` → `synced`. One that
    /// descends neither from what the remote is known to have nor was made over its tombstone is old news.
    case markSynced([SyncedRevision])
    /// Decides on announced revisions → `compared`, in order.
    ///
    /// A revision that is there already is recorded as the remote's current one, unless it is an ancestor of what the
    /// remote is known to have, which makes it old news. If it lies on another branch than the local current one, the
    /// remote went over to that branch: so does this side, unless it has changes that the remote does not, which is a
    /// conflict.
    case compare([ChangesRequest.Row])
    /// Decides on proposed revisions → `decided`, in order.
    case decide([ProposeChangesRequest.Row])
    /// Inserts revisions in one transaction → `inserted`, in order. Durable when the result comes. The peer may refer to what it
    /// has given wherever else it is stored.
    case insert([IncomingRevision], given: GivenAttachments)
    /// Purges documents whose access was lost, if the pull filter agrees → `accessRemoved`, in order.
    case removeAccess([ChangesRequest.Row])
    /// The changes that the remote refused in earlier sessions and that are still current → `changes`, at most the scan's limit.
    /// Refusals that mean nothing any more are removed.
    case loadRefused(ChangeScan)
    /// Remembers that the remote refused revisions, and that it does not have them → `refusalsRecorded`. Durable when the
    /// result comes.
    case recordRefusals([Refusal])
    /// Forgets refusals of documents that the remote took after all → `done`.
    case forgetRefusals([String])

    /// A Boolean value that says whether the request changes nothing, or little: it is done beside those that do, and so may be done before an earlier one.
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
    /// For each document true where it was purged.
    case accessRemoved([Bool])
    /// The sequence of the last refusal for which there was no room; nil if all are remembered.
    case refusalsRecorded(overflow: UInt64?)
    case done
    case failed(StoreFailure)
}

/// The database could not do what was asked.
package struct StoreFailure: Error, Sendable, Hashable {
    /// A Boolean value that says whether trying again may help (busy, disk full).
    package var isTransient: Bool
    /// The failure in words, without content of documents.
    package var reason: String

    package init(isTransient: Bool, reason: String) {
        self.isTransient = isTransient
        self.reason = reason
    }

    /// The reply to a request that failed for it.
    package var reply: BLIPErrorReply { BLIPErrorReply(code: isTransient ? 503 : 500, message: reason) }
}

/// A search for local changes.
package struct ChangeScan: Sendable, Hashable {
    /// The sequence after which to look.
    package var after: UInt64
    /// Most changes to return.
    package var limit: Int
    /// The only documents to look at; nil is all.
    package var documentIDs: [String]?
    /// A Boolean value that says whether tombstones are left out.
    package var isActiveOnly: Bool
    /// A Boolean value that says whether changes are left out that the remote is known to have, and those that the push filter refuses.
    package var isForPush: Bool
    /// Changes through this sequence are returned whatever the remote is known to have, and as if it had nothing.
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

/// Local changes in the order of their sequences.
package struct ChangePage: Sendable, Hashable {
    package var changes: [LocalChange]
    /// Everything through this sequence was looked at: what is not listed need not be sent.
    package var scannedThrough: UInt64
    /// A Boolean value that says whether there were no more changes at that time.
    package var isEnd: Bool

    package init(changes: [LocalChange], scannedThrough: UInt64, isEnd: Bool) {
        self.changes = changes
        self.scannedThrough = scannedThrough
        self.isEnd = isEnd
    }
}
