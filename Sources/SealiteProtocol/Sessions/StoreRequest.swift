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

extension StoreRequest {
    /// The memory that the request uses while it waits for the database, as far as a peer determines it, in bytes.
    ///
    /// Revisions to insert and the record of attachments that the peer has sent don't count, because their session
    /// counts them. Data of the application, such as refusals, isn't determined by a peer.
    package var heldByteCount: Int {
        let overhead = 256
        switch self {
        case .savePeerCheckpoint(let id, let revision, let body):
            return overhead + id.utf8.count + revision.utf8.count + body.count
        case .loadPeerCheckpoint(let id): return overhead + id.utf8.count
        case .decide(let rows, _):
            return rows.reduce(overhead) { sum, row in
                sum + MemoryLayout<ProposeChangesRequest.Row>.stride + row.documentID.utf8.count
                    + row.version.textByteCount + (row.serverVersion?.textByteCount ?? 0)
            }
        case .compare(let rows), .removeAccess(let rows):
            return rows.reduce(overhead) { sum, row in
                sum + MemoryLayout<ChangesRequest.Row>.stride + row.documentID.utf8.count
                    + row.version.textByteCount
            }
        case .scan(let scan), .loadRefused(let scan):
            return scan.documentIDs?.reduce(overhead) { $0 + MemoryLayout<String>.stride + $1.utf8.count } ?? overhead
        case .loadRevisions(let queries):
            return queries.reduce(overhead) { sum, query in
                sum + MemoryLayout<RevisionQuery>.stride + query.documentID.utf8.count
                    + query.version.textByteCount + query.knownAncestors.heldByteCount
            }
        case .reconsider(let change, let server):
            return overhead + change.documentID.utf8.count + (server?.textByteCount ?? 0)
        case .insert, .markSynced, .loadCheckpoint, .saveCheckpoint, .startNewSource, .recordRefusals, .forgetRefusals:
            return overhead
        }
    }
}

/// The database's result of a `StoreRequest`.
package enum StoreResult: Sendable, Hashable {
    case checkpoint([UInt8]?)
    case peerCheckpoint(GetCheckpointReply?)
    case peerCheckpointSaved(revision: String)
    case peerCheckpointConflict
    case changes(ChangePage)
    case revisions([LoadedRevision])
    case reconsidered(RefusedChangeDecision)
    case compared([AnnouncementDecision])
    /// The pushed revisions were recorded. `conflicting` has the IDs of the documents whose local current revision lies
    /// on another branch than the pushed one.
    case synced(conflicting: [String])
    case decided([ProposalDecision])
    case inserted([RevisionOutcome])
    /// For each document of the request, in order, whether it was purged.
    case accessRemoved([Bool])
    /// The refusals were stored, as far as the limit for each remote and collection permits. `left` has the positions,
    /// in the request, of those beyond the limit, which weren't stored.
    case refusalsRecorded(left: [Int])
    /// The source id of the versions that the database writes now.
    case newSource(String)
    case done
    case failed(StoreFailure)
}

/// A failure of the local database to perform a session's request.
package struct StoreFailure: Error, Sendable, Hashable {
    /// A Boolean value that says whether a retry may help (busy, disk full).
    package var isTransient: Bool
    /// The cause of the failure as text, without content of documents. It may name files of this machine, so no peer
    /// gets it.
    package var reason: String
    /// The kind of the database's error, for peers and logs: lowercase words with hyphens between them, such as
    /// `not-open`.
    package var kind: String

    package init(isTransient: Bool, reason: String, kind: String = "unexpected") {
        self.isTransient = isTransient
        self.reason = reason
        self.kind = kind
    }

    /// The error reply to the peer, if the failed request resulted from a request of the peer: HTTP 503 if a retry may
    /// help, otherwise 500. It names the kind of the failure alone.
    package var reply: BLIPErrorReply {
        BLIPErrorReply(
            code: isTransient ? 503 : 500, message: "the database of the answering side failed with the error \(kind)")
    }
}

/// The parameters of a search for local changes to send.
package struct ChangeScan: Sendable, Hashable {
    /// The sequence after which to search.
    package var after: UInt64
    /// The maximum number of changes to return.
    package var limit: Int
    /// The IDs of the only documents to consider; nil for all.
    package var documentIDs: [String]?
    /// The sequence up to which tombstones are left out, at most the collection's last sequence when the search begins;
    /// 0 if none are.
    package var activeOnlyThrough: UInt64
    /// A Boolean value that says whether changes are left out that the remote is known to have or that the push filter
    /// rejects.
    package var isForPush: Bool
    /// The sequence up to which changes are returned as if the remote had none of them; 0 for none.
    package var reofferedThrough: UInt64 = 0

    package init(
        after: UInt64, limit: Int, documentIDs: [String]? = nil, activeOnlyThrough: UInt64 = 0, isForPush: Bool,
        reofferedThrough: UInt64 = 0
    ) {
        self.after = after
        self.limit = limit
        self.documentIDs = documentIDs
        self.activeOnlyThrough = activeOnlyThrough
        self.isForPush = isForPush
        self.reofferedThrough = reofferedThrough
    }
}

/// A part of the local changes that a session has to send, ordered by sequence.
package struct ChangePage: Sendable, Hashable {
    package var changes: [LocalChange]
    /// The sequence up to which all local changes were examined: those that aren't in `changes` need not be sent.
    package var scannedThrough: UInt64
    /// A Boolean value that says whether no further changes followed when these were read.
    package var isEnd: Bool
    /// The sequence up to which tombstones were left out; 0 if none were. The following pages leave out tombstones up to
    /// the same sequence.
    package var activeOnlyThrough: UInt64

    package init(changes: [LocalChange], scannedThrough: UInt64, isEnd: Bool, activeOnlyThrough: UInt64 = 0) {
        self.changes = changes
        self.scannedThrough = scannedThrough
        self.isEnd = isEnd
        self.activeOnlyThrough = activeOnlyThrough
    }
}

/// Identifies a task that a session has requested from its owner, until its result arrives.
package struct TaskID: Hashable, Sendable, Comparable {
    let value: UInt64

    package static func < (left: TaskID, right: TaskID) -> Bool { left.value < right.value }
}

/// The result of a task that a session has requested from its owner: the peer's reply, the result of a request to the
/// database, or that of fetching an attachment.
package enum TaskResult: Sendable {
    case reply(BLIPReply)
    case store(StoreResult)
    case attachment(AttachmentResult)
}
