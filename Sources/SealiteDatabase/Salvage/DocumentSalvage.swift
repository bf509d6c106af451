public import SealiteFile
public import SealiteMaintenance

extension Database {
    /// Writes everything that is still readable in a damaged file to a new sealed file, with the damaged file's master
    /// key and key slots.
    ///
    /// The method calls `SealedDatabase.salvage(to:progress:)` and recognizes documents: rows that no b-tree of the
    /// damaged file reaches are recovered as documents of their collections, with their ids, revisions and blobs.
    /// Documents of unknown collections are stored in collections of the scope `recovered`. The result opens as a
    /// `Database`. A file without a document database is salvaged as `SealedDatabase` does it.
    ///
    /// - Parameters:
    ///   - file: the damaged file, unlocked.
    ///   - path: the path of the new file; no file may exist there.
    ///   - progress: called on this thread; returning false cancels the salvage, which then leaves no file.
    /// - Returns: a report on recovered and lost content.
    /// - Throws: `SealedFileError`: `exists`, `permission`, `diskFull`, `busy`, `locked`, `cancelled`, `inputOutput`.
    ///   Damage is reported, not thrown.
    public static func salvage(
        _ file: SealedDatabase, to path: String, progress: @escaping BackupProgressHandler = { _ in true }
    ) throws(SealedFileError) -> DocumentSalvageReport {
        try salvage(file, to: path, others: [], progress: progress)
    }

    /// The same as ``salvage(_:to:progress:)``, with additional guides that know the tables of other programs.
    package static func salvage(
        _ file: SealedDatabase, to path: String, others: [any SalvageGuide],
        progress: @escaping BackupProgressHandler = { _ in true }
    ) throws(SealedFileError) -> DocumentSalvageReport {
        let guide = DocumentGuide()
        let report = try file.salvage(to: path, guides: [guide] + others, progress: progress)
        return DocumentSalvageReport(file: report, documents: guide.report)
    }

    /// The same as ``salvage(_:to:progress:)``, but the new file has a new master key and one key slot, or two with a
    /// recovery key.
    public static func salvage(
        _ file: SealedDatabase, to path: String, slot: borrowing NewSlotSecret,
        options: BackupSlotOptions = BackupSlotOptions(), progress: @escaping BackupProgressHandler = { _ in true }
    ) throws(SealedFileError) -> DocumentSalvageReport {
        try salvage(file, to: path, slot: slot, options: options, others: [], progress: progress)
    }

    /// The same as ``salvage(_:to:slot:options:progress:)``, with additional guides that know the tables of other
    /// programs.
    package static func salvage(
        _ file: SealedDatabase, to path: String, slot: borrowing NewSlotSecret,
        options: BackupSlotOptions = BackupSlotOptions(), others: [any SalvageGuide],
        progress: @escaping BackupProgressHandler = { _ in true }
    ) throws(SealedFileError) -> DocumentSalvageReport {
        let guide = DocumentGuide()
        let report = try file.salvage(
            to: path, slot: slot, options: options, guides: [guide] + others, progress: progress)
        return DocumentSalvageReport(file: report, documents: guide.report)
    }
}

/// The result of the salvage of a damaged file.
public struct DocumentSalvageReport: Sendable, Equatable, Encodable {
    /// The report on pages, tables and rows.
    public let file: SalvageReport
    /// The report on documents; nil if the file contains no document database.
    public let documents: SalvagedDocuments?

    /// A Boolean value that says whether nothing is known to be missing.
    public var isComplete: Bool { file.isComplete && documents?.isComplete ?? true }

    private enum CodingKeys: CodingKey { case documents, isComplete }

    /// Encodes the members of the file's report, and `documents` and `isComplete` beside them.
    public func encode(to encoder: any Encoder) throws {
        try file.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(documents, forKey: .documents)
        try container.encode(isComplete, forKey: .isComplete)
    }
}

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

/// A document's row in a damaged file that couldn't be restored to its collection.
public struct UnplacedDocument: Sendable, Equatable, Encodable {
    /// A reason for which a document isn't in its collection.
    public enum Reason: String, Sendable, Encodable {
        /// The document's collection isn't known. The document is in a collection of the scope `recovered`.
        case unknownCollection
        /// The collection has a newer state of the document, or has another document with the same sequence. The row is
        /// in `lost_and_found`.
        case superseded
        /// No index lists the document: it was deleted or changed, and its page was freed. The row is in
        /// `lost_and_found`.
        case deleted
        /// The document's content doesn't follow the format. The row is in `lost_and_found`.
        case unreadable
    }

    /// The document's id.
    public let id: String
    /// The document's sequence.
    public let sequence: Int64
    /// The page of the damaged file on which the document's row begins; 0 for a row that the salvage moved out of its
    /// collection's table.
    public let page: UInt32
    /// The reason for which the document isn't in its collection.
    public let reason: Reason
    /// The collection that now contains the document, as `scope.name`; nil for `lost_and_found`.
    public let collection: String?
}

/// A blob of a damaged file whose content isn't completely recovered.
public struct LostBlob: Sendable, Equatable, Encodable {
    /// The blob's digest, `sha1-…`.
    public let digest: String
    /// The size of the blob in bytes; nil if it isn't known.
    public let byteCount: Int64?
    /// The number of documents that refer to the blob.
    public let documentCount: Int
}
