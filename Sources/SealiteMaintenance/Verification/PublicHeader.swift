import CSQLite
public import SealiteFile

/// The public content of a sealed file's header, readable without a key.
public struct PublicHeader: Sendable, Codable, Equatable {
    /// The version of the format: 1.
    public let formatVersion: Int
    /// The page size in bytes.
    public let pageSize: Int
    /// 16 random bytes, in hex, that identify the database.
    public let databaseID: String
    /// 16 random bytes, in hex, that identify the master key and change with each rotation.
    public let masterID: String
    /// A counter that each change of the header raises by one.
    public let generation: UInt64
    /// A counter that each freshness record raises by one.
    public let freshnessCounter: UInt64
    /// The name of the cipher of pages and keys: XAES-256-GCM.
    public let cipher: String
    /// The epoch, that is, the number of the page key, that pages are sealed under. Each key rotation raises it by one.
    public let epoch: UInt32
    /// The preceding epoch while a rotation is in progress; nil otherwise.
    public let previousEpoch: UInt32?
    /// The key slots in use.
    public let slots: [SlotInfo]
    /// The states of the two header copies, copy 0 first.
    public let copies: [CopyState]

    /// A Boolean value that says whether a key rotation has begun and not ended.
    public var isRotating: Bool { previousEpoch != nil }

    /// The state of one of the two header copies.
    public enum CopyState: String, Sendable, Codable {
        /// The copy holds the newest generation.
        case current
        /// The copy is whole and has an older generation, as after a crash between two writes.
        case stale
        /// The copy can't be used: its checksum or a field is invalid, as after a torn write, or it is missing.
        case damaged
        /// The copy is whole but was written without the key. Only a holder of the key can determine that.
        case tampered
    }
}

extension PublicHeader {
    /// Creates the description. `tampered` is the number of the copy that the key showed to be forged; nil if there is
    /// none.
    init(_ region: HeaderRegion, tampered: Int? = nil) {
        let content = region.content
        formatVersion = Int(HeaderLayout.formatVersion)
        pageSize = content.pageSize
        databaseID = content.databaseID.hex
        masterID = content.masterID.hex
        generation = content.generation
        freshnessCounter = content.freshness
        cipher = "XAES-256-GCM"
        epoch = content.epoch.epoch
        previousEpoch = content.rotation?.previousEpoch.epoch
        slots = content.slotInfos
        copies = region.copies.enumerated().map { index, copy in
            guard index != tampered else { return .tampered }
            guard case .success(let image) = copy else { return .damaged }
            return image.content.generation == content.generation ? .current : .stale
        }
    }
}

extension SealedDatabase {
    /// Reads the public content of a file's header without authenticating it.
    ///
    /// - Throws: `SealedFileError`: `noSuchFile`, `permission`, `notSealed`, `plainDatabase`, `unsupportedVersion`,
    ///   `damagedHeader`, `inputOutput`.
    public static func publicHeader(of path: String) throws(SealedFileError) -> PublicHeader {
        PublicHeader(try BaseHandle.readHeader(path, vfs: VFSChoice.standard.base))
    }

    /// Reads the public content of the file's header and checks the MACs of both copies.
    ///
    /// - Throws: `SealedFileError`: as ``publicHeader(of:)``, and `tamperedHeader`, `locked`.
    public func publicHeader() throws(SealedFileError) -> PublicHeader {
        let region = try BaseHandle.readHeader(path, vfs: vfs.base)
        try ring.follow(region)
        return PublicHeader(region, tampered: try region.tampering(under: try ring.masterKey())?.copy)
    }
}

/// The progress of an unfinished key rotation.
public struct RotationState: Sendable, Codable, Equatable {
    /// The number of pages already sealed under the new key.
    public let pagesDone: Int
    /// The number of pages in the file, except those that were never written.
    public let pageCount: Int
}

extension SealedDatabase {
    /// Counts the pages that a key rotation has encrypted again, by the epoch number stored with each page. Returns nil
    /// if no rotation is in progress. Needs no key and authenticates nothing. Reads a few bytes of each page.
    ///
    /// - Throws: `SealedFileError`: as ``publicHeader(of:)``.
    public static func rotationState(of path: String) throws(SealedFileError) -> RotationState? {
        let vfs = VFSChoice.standard.base
        let content = try BaseHandle.readHeader(path, vfs: vfs).content
        guard content.rotation != nil else { return nil }
        let handle = try BaseHandle(path, vfs: vfs, flags: SQLITE_OPEN_READONLY)
        return try SealedFileError.mapping { () throws(VFSFailure) in
            let pageSize = Int64(content.pageSize)
            let count = (try handle.file.size().get() - Int64(HeaderLayout.regionByteCount)) / pageSize
            var (done, written) = (0, 0)
            for number in 0..<max(0, count) {
                let end = Int64(HeaderLayout.regionByteCount) + (number + 1) * pageSize
                let place = end - Int64(PageTrailer.byteCount) + Int64(PageTrailer.epoch)
                let bytes = try handle.file.bytes(4, at: place).get()
                guard bytes.count == 4 else { break }
                let epoch = bytes.readUInt32(at: 0)
                written += epoch == 0 ? 0 : 1
                done += epoch == content.epoch.epoch ? 1 : 0
            }
            return RotationState(pagesDone: done, pageCount: written)
        }
    }
}

/// Counts and settings of an unlocked database.
public struct FileStatistics: Sendable, Codable, Equatable {
    /// The number of pages in the database, as a reader sees it.
    public let pageCount: Int
    /// The number of free pages.
    public let freePageCount: Int
    /// The number of objects of each type in the schema, by SQLite's name of the type: "table", "index", "view" or
    /// "trigger".
    public let schemaCounts: [String: Int]
    /// The journal mode, such as "wal" or "delete".
    public let journalMode: String
    /// The text encoding: "UTF-8", "UTF-16le" or "UTF-16be".
    public let encoding: String
    /// The auto-vacuum mode: 0 none, 1 full, 2 incremental.
    public let autoVacuum: Int
    /// The application's version number (`PRAGMA user_version`).
    public let userVersion: Int
    /// The application's id (`PRAGMA application_id`).
    public let applicationID: Int
}

extension SealedDatabase {
    /// Reads counts and settings through a separate connection in one read transaction.
    ///
    /// - Throws: `SealedFileError` of opening and reading, such as `busy`, `damagedPage` or `locked`.
    public func statistics() throws(SealedFileError) -> FileStatistics {
        let connection = try connect()
        try connection.execute("BEGIN")
        var kinds: [String: Int] = [:]
        try connection.query("SELECT type, count(*) FROM sqlite_schema GROUP BY type") {
            (row) throws(SealedFileError) in
            kinds[row.text(0) ?? ""] = Int(row.integer(1))
        }
        return FileStatistics(
            pageCount: Int(try connection.integer("PRAGMA page_count")),
            freePageCount: Int(try connection.integer("PRAGMA freelist_count")),
            schemaCounts: kinds,
            journalMode: try connection.text("PRAGMA journal_mode") ?? "",
            encoding: try connection.text("PRAGMA encoding") ?? "",
            autoVacuum: Int(try connection.integer("PRAGMA auto_vacuum")),
            userVersion: Int(try connection.integer("PRAGMA user_version")),
            applicationID: Int(try connection.integer("PRAGMA application_id")))
    }
}
