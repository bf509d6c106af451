internal import SealiteFile
internal import SealiteMaintenance

/// The outcome of the salvage of a damaged file for the documents in it.
public struct SalvagedDocuments: Sendable, Equatable, Encodable {
    /// The collections of the new database.
    public internal(set) var collections: [SalvagedCollection] = []
    /// The documents that aren't in their collection: those in the scope `recovered`, and those whose row is in
    /// `lost_and_found`.
    public internal(set) var unplaced: [UnplacedDocument] = []
    /// The blobs of which a part, or everything, is lost. What remains of them is removed, so that they can be stored
    /// again.
    public internal(set) var lostBlobs: [LostBlob] = []
    /// The number of blobs in the new database.
    public internal(set) var blobCount = 0
    /// The number of chunks of content that belong to no known blob. They aren't kept.
    public internal(set) var strayChunkCount = 0
    /// A Boolean value that says whether the UUIDs that identify the database were lost. The new database then has new
    /// UUIDs, and peers treat it as another database.
    public internal(set) var hasNewIdentity = false
    /// A Boolean value that says whether replication checkpoints were removed or may be lost, so that every peer is
    /// compared in full again; false if the database is known to have had none.
    public internal(set) var gaveUpCheckpoints = false
    /// The number of documents in per-document sync (`SealiteMobileSync`) that are still synced.
    public internal(set) var syncedDocumentCount = 0
    /// A Boolean value that says whether parts of the state of per-document sync (synced ids, unsent writes, pauses,
    /// events), or all of it, may be lost or outdated. If the table that has the state is damaged, the value is also
    /// true for a database that has a remote but may never have used per-document sync.
    public internal(set) var lostSyncState = false

    /// A Boolean value that says whether no part of the documents is known to be missing. Replication checkpoints and
    /// the state of per-document sync don't count.
    public var isComplete: Bool {
        unplaced.isEmpty && lostBlobs.isEmpty && strayChunkCount == 0 && !hasNewIdentity
            && collections.allSatisfy(\.isComplete)
    }

    /// The number of documents in the new database, without tombstones.
    public var documentCount: Int { collections.reduce(0) { $0 + $1.documentCount } }
}
