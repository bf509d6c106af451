package import SealiteRevisions

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
