package import SealiteJSON

/// What a session asks of the database. Each request is about one collection; peers' checkpoints are the database's.
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
    /// Whether a revision that the peer refused as a conflict can be proposed with another ancestor → `reconsidered`.
    case reconsider(LocalChange, serverRevisionID: WireRevisionID?)
    /// Records revisions that were pushed as the remote's current ones, by the rules of `compare` → `synced`. One that
    /// descends neither from what the remote is known to have nor was made over its tombstone is old news.
    case markSynced([SyncedRevision])
    /// Which announced revisions are wanted → `compared`, in order.
    ///
    /// A revision that is there already is recorded as the remote's current one, unless it is an ancestor of what the
    /// remote is known to have, which makes it old news. If it lies on another branch than the local current one, the
    /// remote went over to that branch: so does this side, unless it has changes that the remote does not, which is a
    /// conflict.
    case compare([ChangesRequest.Row])
    /// What becomes of proposed revisions → `decided`, in order.
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

    /// Whether it changes nothing, or little: it is done beside those that do, and so may be done before an earlier one.
    package var isReading: Bool {
        switch self {
        case .scan, .loadRevisions, .compare, .decide, .reconsider: true
        default: false
        }
    }
}

/// What the database answers.
package enum StoreResult: Sendable, Hashable {
    case checkpoint([UInt8]?)
    case peerCheckpoint(GetCheckpointReply?)
    case peerCheckpointSaved(revision: String)
    case peerCheckpointConflict
    case changes(ChangePage)
    case revisions([LoadedRevision])
    case reconsidered(Reconsideration)
    case compared([RowDecision])
    /// The documents whose local current revision lies on another branch than the pushed one.
    case synced(conflicting: [String])
    case decided([ProposeChangesReply.Item])
    case inserted([InsertOutcome])
    /// For each document whether it was purged.
    case accessRemoved([Bool])
    /// The sequence of the last refusal for which there was no room; nil if all are remembered.
    case refusalsRecorded(overflow: UInt64?)
    case done
    case failed(StoreFailure)
}

/// The database could not do what was asked.
package struct StoreFailure: Error, Sendable, Hashable {
    /// Whether trying again may help (busy, disk full).
    package var isTransient: Bool
    /// What failed, without content.
    package var reason: String

    package init(isTransient: Bool, reason: String) {
        self.isTransient = isTransient
        self.reason = reason
    }

    /// The reply to a request that failed for it.
    package var reply: BLIPErrorReply { BLIPErrorReply(code: isTransient ? 503 : 500, message: reason) }
}

/// Which local changes are to be found.
package struct ChangeScan: Sendable, Hashable {
    /// The sequence after which to look.
    package var after: UInt64
    /// Most changes to return.
    package var limit: Int
    /// The only documents to look at; nil is all.
    package var documentIDs: [String]?
    /// Whether tombstones are left out.
    package var isActiveOnly: Bool
    /// Whether changes are left out that the remote is known to have, and those that the push filter refuses.
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
    /// Whether there were no more changes at that time.
    package var isEnd: Bool

    package init(changes: [LocalChange], scannedThrough: UInt64, isEnd: Bool) {
        self.changes = changes
        self.scannedThrough = scannedThrough
        self.isEnd = isEnd
    }
}

/// The current revision of a document that changed.
package struct LocalChange: Sendable, Hashable {
    package var sequence: UInt64
    package var documentID: String
    package var revisionID: WireRevisionID
    var isDeleted: Bool
    /// The revision last known to be the remote's current one.
    package var remoteRevisionID: WireRevisionID?
    var bodyByteCount: UInt64
    /// A Boolean value that says whether it is offered whatever the remote is known to have, since that may have lost it.
    package var isReoffered = false

    package init(
        sequence: UInt64, documentID: String, revisionID: WireRevisionID, isDeleted: Bool,
        remoteRevisionID: WireRevisionID? = nil, bodyByteCount: UInt64, isReoffered: Bool = false
    ) {
        self.sequence = sequence
        self.documentID = documentID
        self.revisionID = revisionID
        self.isDeleted = isDeleted
        self.remoteRevisionID = remoteRevisionID
        self.bodyByteCount = bodyByteCount
        self.isReoffered = isReoffered
    }

    package var key: ExactText { ExactText(documentID) }
}

/// A revision to load for sending.
package struct RevisionQuery: Sendable, Hashable {
    package var documentID: String
    package var revisionID: WireRevisionID
    /// Revisions that the receiver has: the history ends at the first of them.
    package var knownAncestors: [WireRevisionID]
    /// Most revisions in the history; see `RevisionHistory.cut`.
    package var maxHistory: Int
    /// Whether attachments are listed in `_attachments` too, for a receiver that does not look for them in the body.
    package var listsAttachments: Bool
    /// Whether the current revision may be given if the asked one is gone.
    package var allowsReplacement: Bool
    /// Revisions from which a delta may be made; empty as long as deltas are not spoken.
    var deltaBases: [WireRevisionID] = []
}

/// A revision to send, or why there is none.
package enum LoadedRevision: Sendable, Hashable {
    case found(OutgoingRevision)
    /// The status for `norev`: 404 for a missing document, 410 for an obsolete revision.
    case gone(status: Int)
}

/// A revision with its body.
package struct OutgoingRevision: Sendable, Hashable {
    var revisionID: WireRevisionID
    /// As it stands on the wire.
    var history: String
    var isDeleted: Bool
    var body: [UInt8]
    /// The attachments that the body refers to, each as often as it does.
    var attachments: [AttachmentDigest] = []
    /// Set if the body is a delta.
    var deltaSource: WireRevisionID?

    package init(
        revisionID: WireRevisionID, history: String, isDeleted: Bool, body: [UInt8],
        attachments: [AttachmentDigest] = [], deltaSource: WireRevisionID? = nil
    ) {
        self.revisionID = revisionID
        self.history = history
        self.isDeleted = isDeleted
        self.body = body
        self.attachments = attachments
        self.deltaSource = deltaSource
    }
}

/// A revision that the remote refused to take.
package struct Refusal: Sendable, Hashable {
    package var change: LocalChange
    /// The domain of the error, `HTTP` where its code is an HTTP status.
    package var domain: String
    package var code: Int
    /// The reason, in words of which some may be the remote's.
    package var reason: String

    init(_ change: LocalChange, _ error: SessionError) {
        self.change = change
        reason = error.reason
        switch error.code {
        case .http(let status): (domain, code) = ("HTTP", status)
        case .remote(let domain, let code): (self.domain, self.code) = (domain, code)
        case .conflict: (domain, code) = ("HTTP", 409)
        default: (domain, code) = ("HTTP", 500)
        }
    }
}

/// What to do about a proposal that was answered with 409.
package enum Reconsideration: Sendable, Hashable {
    /// Propose this: the document's current revision, with the ancestor that the peer has.
    case propose(LocalChange)
    /// Nothing is to be sent any more.
    case unnecessary
    /// It conflicts.
    case conflict
}

/// A revision that the remote has as its current one.
package struct SyncedRevision: Sendable, Hashable {
    package var documentID: String
    package var revisionID: WireRevisionID
    var sequence: UInt64
}

/// What becomes of an announced revision.
package enum RowDecision: Sendable, Hashable {
    /// It is wanted, by someone who has these revisions, the remote's last known one first.
    case wanted(ancestors: [WireRevisionID])
    /// It is there, or its document is not replicated.
    case unwanted
    /// It is there, and conflicts with the local current revision until someone resolves that.
    case conflicting
}

/// A revision that came from a peer.
package struct IncomingRevision: Sendable, Hashable {
    package var documentID: String
    package var revisionID: WireRevisionID
    /// The ancestors in a revision tree, newest first.
    package var history: [WireRevisionID]
    package var isDeleted: Bool
    /// Whether it must not make a conflict.
    package var isConflictRefused: Bool
    /// Set if the body is a delta.
    package var deltaSource: WireRevisionID?
    /// JSON as it came, attachments' stubs included.
    package var body: [UInt8]
    /// Attachments that were fetched for the revision itself: the peer may refer to them however much it has given since.
    package var given: Set<AttachmentDigest> = []

    package init(
        documentID: String, revisionID: WireRevisionID, history: [WireRevisionID], isDeleted: Bool,
        isConflictRefused: Bool, deltaSource: WireRevisionID? = nil, body: [UInt8], given: Set<AttachmentDigest> = []
    ) {
        self.documentID = documentID
        self.revisionID = revisionID
        self.history = history
        self.isDeleted = isDeleted
        self.isConflictRefused = isConflictRefused
        self.deltaSource = deltaSource
        self.body = body
        self.given = given
    }
}

/// What became of a revision that came from a peer.
package enum InsertOutcome: Sendable, Hashable {
    case inserted
    /// It is stored, over a tombstone that it does not descend from.
    case resurrected
    /// It was there already.
    case known
    /// It is stored, and conflicts with the local one until someone resolves that.
    case conflict
    /// It is not stored, since it must not make a conflict.
    case conflictRefused
    /// It is not stored before these attachments are fetched.
    case needsAttachments([AttachmentNeed])
    /// It said that access was lost, and the document is purged or kept.
    case accessLost(isPurged: Bool)
    /// It is not stored: the filter refused it, or it cannot be stored at all.
    case refused(BLIPErrorReply)
    /// The revision of which it is a delta is not there; the whole is wanted.
    case deltaBaseMissing
    case failed(StoreFailure)
}

/// An attachment that a revision refers to and whose content the peer must send: the database does not have it, or has it only
/// for documents that the peer may not read.
package struct AttachmentNeed: Sendable, Hashable {
    var digest: AttachmentDigest
    var byteCount: UInt64?
    var isCompressible: Bool

    package init(digest: AttachmentDigest, byteCount: UInt64? = nil, isCompressible: Bool) {
        self.digest = digest
        self.byteCount = byteCount
        self.isCompressible = isCompressible
    }
}

/// The history of a revision as it is sent.
enum RevisionHistory {
    /// Cuts a revision's ancestors, newest first, for a receiver that has some of them and wants at most `limit`
    /// revisions, the sent one not counted.
    ///
    /// It ends with the first that the receiver has. If that lies beyond the limit it is still the last one, so that the
    /// receiver finds the place; if none is known the oldest ones are left out.
    static func cut(
        _ ancestors: [WireRevisionID], known: [WireRevisionID], limit: Int
    ) -> [WireRevisionID] {
        let known = Set(known)
        guard let index = ancestors.firstIndex(where: known.contains) else {
            return Array(ancestors.prefix(max(0, limit)))
        }
        guard index >= limit else { return Array(ancestors[...index]) }
        return limit > 0 ? Array(ancestors.prefix(limit - 1)) + [ancestors[index]] : []
    }
}
