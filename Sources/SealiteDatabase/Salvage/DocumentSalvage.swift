public import SealiteFile
public import SealiteMaintenance

extension Database {
    /// Writes whatever can still be read of a damaged file to a new sealed file, with this one's master key and key slots.
    ///
    /// As `SealedDatabase.salvage(to:progress:)`, which this calls, and with knowledge of documents: rows that no tree of the
    /// damaged file leads to come back as documents of their collections, with their ids, revisions and blobs. Documents whose
    /// collection isn't known any more go to collections of the scope `recovered`. The result opens as a `Database`.
    /// A file that holds something else than documents is salvaged as it is there.
    ///
    /// - Parameters:
    ///   - file: the damaged file, unlocked.
    ///   - path: where the new file goes; must not exist.
    ///   - progress: called on this thread; false gives it up, which leaves nothing behind.
    /// - Returns: what was recovered and what is lost.
    /// - Throws: `SealedFileError`: `exists`, `permission`, `diskFull`, `busy`, `locked`, `cancelled`, `inputOutput`. Damage is
    ///   in the report, not thrown.
    public static func salvage(
        _ file: SealedDatabase, to path: String, progress: @escaping BackupProgressHandler = { _ in true }
    ) throws(SealedFileError) -> DocumentSalvageReport {
        try salvage(file, to: path, others: [], progress: progress)
    }

    /// As ``salvage(_:to:progress:)``, with the help of those who know the tables of other programs.
    package static func salvage(
        _ file: SealedDatabase, to path: String, others: [any SalvageGuide],
        progress: @escaping BackupProgressHandler = { _ in true }
    ) throws(SealedFileError) -> DocumentSalvageReport {
        let guide = DocumentGuide()
        let report = try file.salvage(to: path, guides: [guide] + others, progress: progress)
        return DocumentSalvageReport(file: report, documents: guide.report)
    }

    /// As ``salvage(_:to:progress:)``, with a new master key and one key slot (two with a recovery key) of its own.
    public static func salvage(
        _ file: SealedDatabase, to path: String, slot: borrowing NewSlotSecret,
        options: BackupSlotOptions = BackupSlotOptions(), progress: @escaping BackupProgressHandler = { _ in true }
    ) throws(SealedFileError) -> DocumentSalvageReport {
        try salvage(file, to: path, slot: slot, options: options, others: [], progress: progress)
    }

    /// As ``salvage(_:to:slot:options:progress:)``, with the help of those who know the tables of other programs.
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
    /// Pages, tables and rows.
    public let file: SalvageReport
    /// The documents; nil where the file holds something else.
    public let documents: SalvagedDocuments?

    /// A Boolean value that says whether nothing at all is missing.
    public var isComplete: Bool { file.isComplete && documents?.isComplete ?? true }

    private enum CodingKeys: CodingKey { case documents, isComplete }

    /// The members of the file's report, and `documents` and `isComplete` beside them.
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
    /// Documents that aren't in a collection of their own: those in the scope `recovered`, and those whose row is in
    /// `lost_and_found`.
    public internal(set) var unplaced: [UnplacedDocument] = []
    /// Blobs of which a part is lost. Nothing of them is kept, so that they can be stored anew.
    public internal(set) var lostBlobs: [LostBlob] = []
    /// The number of blobs that are whole.
    public internal(set) var blobCount = 0
    /// The number of pieces of content that belong to no known blob. They aren't kept.
    public internal(set) var strayChunkCount = 0
    /// A Boolean value that says whether the UUIDs were lost: the new ones make it another database for its peers.
    public internal(set) var hasNewIdentity = false
    /// A Boolean value that says whether replication checkpoints were given up, so that every peer is compared with anew.
    public internal(set) var gaveUpCheckpoints = false

    /// A Boolean value that says whether nothing of the documents is known to be missing.
    public var isComplete: Bool {
        unplaced.isEmpty && lostBlobs.isEmpty && strayChunkCount == 0 && !hasNewIdentity
            && collections.allSatisfy(\.isComplete)
    }

    /// The number of documents in the new database, tombstones left out.
    public var documentCount: Int { collections.reduce(0) { $0 + $1.documentCount } }
}

/// The outcome of a salvage for one collection.
public struct SalvagedCollection: Sendable, Equatable, Encodable {
    /// Its number: its table is `documents_<number>`.
    public let number: Int
    /// Its scope.
    public let scope: String
    /// Its name.
    public let name: String
    /// A Boolean value that says whether the name is its own; false where that is lost, and for collections of the scope
    /// `recovered`.
    public internal(set) var isNameKnown = true
    /// The number of documents in the collection now, tombstones left out.
    public internal(set) var documentCount = 0
    /// The number of tombstones in the collection now.
    public internal(set) var tombstoneCount = 0
    /// The number of documents and tombstones that were found apart from the collection's tree.
    public internal(set) var foundApartCount = 0
    /// The number of those that may be older than the last commit, or purged: nothing says that their page was in use.
    public internal(set) var unconfirmedCount = 0
    /// The documents whose history is lost; their current revision is there.
    public internal(set) var withoutHistory: [String] = []
    /// Documents and tombstones that the collection had and lacks now, by id. Those whose row was found without anything to tell
    /// their collection are in ``SalvagedDocuments/unplaced`` too.
    public internal(set) var missing: [String] = []
    /// A Boolean value that says whether `missing` names all that are lost.
    public internal(set) var isMissingComplete = true

    /// `scope.name`.
    public var fullName: String { "\(scope).\(name)" }

    /// A Boolean value that says whether nothing of it is known to be missing.
    public var isComplete: Bool {
        isNameKnown && unconfirmedCount == 0 && withoutHistory.isEmpty && missing.isEmpty && isMissingComplete
    }
}

/// A document that couldn't be put back where it was.
public struct UnplacedDocument: Sendable, Equatable, Encodable {
    /// A reason for which a document isn't in its place.
    public enum Reason: String, Sendable, Encodable {
        /// Its collection isn't known. It is in one of the scope `recovered`.
        case unknownCollection
        /// Its collection has the document in a newer state, or another under its sequence. Its row is in `lost_and_found`.
        case superseded
        /// No index lists it: it was deleted or changed, and its page given up. Its row is in `lost_and_found`.
        case deleted
        /// Its content isn't what the format says. Its row is in `lost_and_found`.
        case unreadable
    }

    /// Its id.
    public let id: String
    /// Its sequence.
    public let sequence: Int64
    /// The page of the damaged file where its row begins.
    public let page: UInt32
    /// The reason for which the document isn't in its place.
    public let reason: Reason
    /// The collection that the document is in now, as `scope.name`; nil for `lost_and_found`.
    public let collection: String?
}

/// A blob whose content isn't whole.
public struct LostBlob: Sendable, Equatable, Encodable {
    /// Its digest, `sha1-…`.
    public let digest: String
    /// The size of the blob in bytes; nil where it isn't known.
    public let byteCount: Int64?
    /// The number of documents that refer to the blob.
    public let documentCount: Int
}
