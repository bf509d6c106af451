public import SealiteFile
public import SealiteMaintenance

extension Database {
    /// Writes everything that is still readable in a damaged file to a new sealed file, with the damaged file's master
    /// key and key slots.
    ///
    /// The method calls `SealedDatabase.salvage(to:progress:)` and adds knowledge of documents: rows that no tree of
    /// the damaged file leads to are recovered as documents of their collections, with their ids, revisions and blobs.
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

    /// The same as ``salvage(_:to:progress:)``, but the new file gets a new master key and one key slot, or two with a
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

    /// A Boolean value that says whether nothing is missing.
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

/// The outcome of a salvage for a document database's content.
public struct SalvagedDocuments: Sendable, Equatable, Encodable {
    /// The collections of the new database.
    public internal(set) var collections: [SalvagedCollection] = []
    /// The documents that aren't in their collection: those in the scope `recovered`, and those whose row is in
    /// `lost_and_found`.
    public internal(set) var unplaced: [UnplacedDocument] = []
    /// The blobs of which a part is lost. They are removed entirely, so that they can be stored again.
    public internal(set) var lostBlobs: [LostBlob] = []
    /// The number of complete blobs.
    public internal(set) var blobCount = 0
    /// The number of chunks of content that belong to no known blob. They aren't kept.
    public internal(set) var strayChunkCount = 0
    /// A Boolean value that says whether the UUIDs were lost. With its new UUIDs, the database is another one for its
    /// peers.
    public internal(set) var hasNewIdentity = false
    /// A Boolean value that says whether replication checkpoints were removed, so that every peer is compared in full
    /// again.
    public internal(set) var gaveUpCheckpoints = false
    /// The number of documents that are synced one by one, as before.
    public internal(set) var syncedDocumentCount = 0
    /// A Boolean value that says whether parts of what per-document sync keeps may be lost or older than the last state: ids of its sets, which writes weren't sent, pauses,
    /// events.
    public internal(set) var lostSyncState = false

    /// A Boolean value that says whether no part of the documents is known to be missing.
    public var isComplete: Bool {
        unplaced.isEmpty && lostBlobs.isEmpty && strayChunkCount == 0 && !hasNewIdentity
            && collections.allSatisfy(\.isComplete)
    }

    /// The number of documents in the new database, without tombstones.
    public var documentCount: Int { collections.reduce(0) { $0 + $1.documentCount } }
}

/// The outcome of a salvage for one collection.
public struct SalvagedCollection: Sendable, Equatable, Encodable {
    /// The collection's number: its table is `documents_<number>`.
    public let number: Int
    /// The name of the collection's scope.
    public let scope: String
    /// The collection's name.
    public let name: String
    /// A Boolean value that says whether the name is the original one; false if that is lost, and for collections of
    /// the scope `recovered`.
    public internal(set) var isNameKnown = true
    /// The number of documents that are now in the collection, without tombstones.
    public internal(set) var documentCount = 0
    /// The number of tombstones that are now in the collection.
    public internal(set) var tombstoneCount = 0
    /// The number of documents and tombstones that were found apart from the collection's tree.
    public internal(set) var foundApartCount = 0
    /// The number of those documents and tombstones that may be outdated or purged, because it is unknown whether their
    /// page was in use.
    public internal(set) var unconfirmedCount = 0
    /// The ids of documents whose history is lost; their current revision is present.
    public internal(set) var withoutHistory: [String] = []
    /// The ids of lost documents and tombstones of the collection. Documents whose row was found without evidence of
    /// their collection are in ``SalvagedDocuments/unplaced`` too.
    public internal(set) var missing: [String] = []
    /// A Boolean value that says whether `missing` lists all lost documents.
    public internal(set) var isMissingComplete = true

    /// The scope's name and the collection's name: `scope.name`.
    public var fullName: String { "\(scope).\(name)" }

    /// A Boolean value that says whether no part of the collection is known to be missing.
    public var isComplete: Bool {
        isNameKnown && unconfirmedCount == 0 && withoutHistory.isEmpty && missing.isEmpty && isMissingComplete
    }
}

/// A document that couldn't be restored to its collection.
public struct UnplacedDocument: Sendable, Equatable, Encodable {
    /// A reason for which a document isn't in its collection.
    public enum Reason: String, Sendable, Encodable {
        /// The document's collection isn't known. The document is in a collection of the scope `recovered`.
        case unknownCollection
        /// The collection has a newer state of the document, or another document with its sequence. The row is in
        /// `lost_and_found`.
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
    /// The page of the damaged file on which the document's row begins.
    public let page: UInt32
    /// The reason for which the document isn't in its collection.
    public let reason: Reason
    /// The collection that now contains the document, as `scope.name`; nil for `lost_and_found`.
    public let collection: String?
}

/// A blob whose content is incomplete.
public struct LostBlob: Sendable, Equatable, Encodable {
    /// The blob's digest, `sha1-…`.
    public let digest: String
    /// The size of the blob in bytes; nil if it isn't known.
    public let byteCount: Int64?
    /// The number of documents that refer to the blob.
    public let documentCount: Int
}
