import CSQLite
import Glibc
import SealiteBase
public import SealiteFile

/// Whole copies between plain and sealed databases. A copy is written under a temporary name in the same folder,
/// compared with its source table by table, and renamed only then: it appears whole or not at all, and never replaces a
/// file.
extension SealedDatabase {
    /// Seals a copy of a plain SQLite database, and unlocks it.
    ///
    /// The copy has the source's schema and content with all rowids, `user_version`, `application_id`, encoding,
    /// auto-vacuum, journal mode and page size (512 bytes become 1024). The source is opened read-only and isn't
    /// changed, and its WAL isn't checkpointed. Other connections may continue to read and write it, but a commit
    /// during the copy restarts the copy. Blocks until it is complete.
    ///
    /// - Parameters:
    ///   - plain: the path of the plain database.
    ///   - path: the sealed copy's path, which must not exist. Its mode is 0600.
    ///   - slot: the secret of the first key slot.
    ///   - options: the page size of the sealed file, the label of the slot, and a recovery slot.
    ///   - progress: called regularly; returning false cancels the copy.
    /// - Returns: a handle on the sealed copy, and a report with the numbers of compared tables and rows, the page
    ///   sizes, the journal mode, and the copy's size.
    /// - Throws: `SealedFileError`: `noSuchFile`, `notSealed` (the source is no SQLite database), `refused` (it is
    ///   sealed already), `exists`, `permission`, `diskFull`, `busy` (also for a hot journal), `integrity` (the copy
    ///   isn't equal), `statement`, `cancelled`, `invalidArgument`, `costRefused`, `inputOutput`.
    public static func encrypt(
        plain: String, to path: String, slot: borrowing NewSlotSecret,
        options: EncryptionOptions = EncryptionOptions(), progress: @escaping CopyProgressHandler = { _ in true }
    ) throws(SealedFileError) -> (database: SealedDatabase, report: CopyReport) {
        if let reason = FilePermissions.reasonNotToOpen(plain) { throw reason }
        try requireNotSealed(plain)
        // SQLite takes a file shorter than any page for a new, empty database.
        let byteCount = FilePermissions.size(of: plain)
        guard byteCount == 0 || byteCount >= 512 else {
            throw SealedFileError(
                .notSealed,
                "\"\(plain)\" isn't an SQLite database: it has \(byteCount) bytes, fewer than the 512 of the smallest page"
            )
        }
        return try seal(
            CopySource(
                uri: VFSChoice(name: "unix", base: "unix").uri(plain), path: plain, extensions: options.extensions),
            to: path, slot: slot, options: options, progress: progress)
    }

    /// Throws `refused` if a file that is to be sealed is a sealed database.
    static func requireNotSealed(_ path: String) throws(SealedFileError) {
        guard !isSealed(path) else {
            throw SealedFileError(
                .refused, "\"\(path)\" is sealed already", hint: MaintenanceRemedy.copySealed.hint)
        }
    }

    /// Seals a copy of a source, as ``encrypt(plain:to:slot:options:progress:)`` does.
    static func seal(
        _ source: CopySource, to path: String, slot: borrowing NewSlotSecret, options: EncryptionOptions,
        progress: @escaping CopyProgressHandler
    ) throws(SealedFileError) -> (database: SealedDatabase, report: CopyReport) {
        try VFSChoice.standard.register()
        if let size = options.pageSize, !SealedPageSize.isValid(size) {
            throw SealedFileError(
                .invalidArgument, "an encrypted database can't have pages of \(size) bytes",
                hint: "choose a power of two from 1024 to 65536")
        }
        let file = try NewFile(path, writer: .connection(base: VFSChoice.standard.base))
        var creation = CreationOptions(label: options.label, recoveryKey: options.recoveryKey)
        creation.slotID = options.slotID
        let layout = if let layout = source.layout { layout } else { try source.layoutForRows() }
        if let layout { creation.pageSize = options.pageSize ?? max(1024, layout.pageSize) }
        let keys = try NewDatabase(slot: slot, options: creation, path: path)
        // Registered while VACUUM INTO looks for the keys of the file it creates.
        let template = SealedDatabase(path: path, ring: keys.ring, vfs: .standard)
        try template.loadExtensions(options.extensions)
        var place = CopyFiles(
            vfs: .standard, uri: { path in template.uri(forCopyAt: path) },
            open: { (path) throws(SealedFileError) in try template.reopened(at: path).connect() })
        if let layout {
            try file.write(try keys.image(autoVacuum: layout.autoVacuum))
            (place.rowSourceURI, place.isCopiedByRowsOnly) = (source.uri, true)
        }
        let report = try source.copy(to: file, at: place, pageSize: options.pageSize, progress: progress)
        try source.finish()
        try file.publish()
        return (try template.reopened(at: path), report)
    }

    /// Writes a plain copy: an unencrypted SQLite database.
    ///
    /// The copy preserves what `encrypt` preserves. It doesn't reserve the 48 bytes of each page that a sealed file
    /// does, unless the database can't be copied row by row (because it needs functions of its program, or a table's
    /// columns use all three names of the rowid); the report then gives the number of reserved bytes. The sealed file
    /// isn't changed. Blocks until it is complete.
    ///
    /// - Parameters:
    ///   - path: the plain copy's path, which must not exist. Its mode is 0600.
    ///   - progress: called regularly; returning false cancels the copy.
    /// - Returns: a report with the numbers of compared tables and rows, the page sizes and reserved bytes, the journal
    ///   mode, and the copy's size.
    /// - Throws: `SealedFileError`, as ``encrypt(plain:to:slot:options:progress:)``; `damagedPage`, `damagedFrame` if
    ///   content doesn't authenticate.
    public func decrypt(
        to path: String, progress: @escaping CopyProgressHandler = { _ in true }
    ) throws(SealedFileError) -> CopyReport {
        let file = try NewFile(path, writer: .connection(base: vfs.base))
        let plain = VFSChoice(name: "unix", base: vfs.base)
        let extensions = extensions
        let source = CopySource(uri: self.uri, path: self.path, extensions: extensions)
        let place = CopyFiles(
            vfs: vfs, uri: { path in plain.reaching(path).uri(path) },
            open: { (path) throws(SealedFileError) in
                let copy = try RawConnection(uri: plain.reaching(path).uri(path), path: path)
                try copy.load(extensions: extensions)
                return copy
            },
            rowSourceURI: readOnlyURI)
        let report = try source.copy(to: file, at: place, pageSize: nil, progress: progress)
        try file.publish()
        return report
    }

    /// Returns a handle on a copy that SQLite created with this handle's master key and slots, under a new id.
    func reopened(at path: String) throws(SealedFileError) -> SealedDatabase {
        let vfs = vfs.reaching(path)
        let region = try BaseHandle.readHeader(path, vfs: vfs.base)
        let opened = SlotOpening.Opened(master: try ring.masterKey(), slotID: ring.slotID)
        let copy = SealedDatabase(path: path, ring: try KeyRing(opened: opened, region: region, path: path), vfs: vfs)
        try copy.loadExtensions(extensions)
        return copy
    }
}

/// A handler called regularly with the progress of a copy. Returning false cancels the copy, which then leaves no file
/// behind.
public typealias CopyProgressHandler = (CopyProgress) -> Bool

/// The progress of a copy between plain and sealed databases.
public struct CopyProgress: Sendable, Equatable {
    /// The phases of a copy. The phase determines the unit of the numbers.
    public enum Phase: String, Sendable {
        /// The copy is written. Counts bytes; the total is an estimate.
        case copying
        /// Every table is compared with the source, if rows were copied. Counts tables.
        case comparing
    }

    /// The phase that the copy is in.
    public let phase: Phase
    /// The number of bytes or tables, according to the phase, that are done.
    public let completed: Int64
    /// The total number of bytes or tables in this phase.
    public let total: Int64
}

/// The result of a copy from or to a sealed database, which was compared with its source row by row or page by page
/// before it got its name.
public struct CopyReport: Sendable, Equatable {
    /// The number of tables compared, including shadow tables of virtual tables and SQLite's own tables; 0 if pages
    /// were compared.
    public let tableCount: Int
    /// The number of rows compared, in all tables; 0 if pages were compared.
    public let rowCount: Int64
    /// The number of pages that were copied as they are and compared; 0 if rows were.
    public let pageCount: Int
    /// The page size of the copy in bytes.
    public let pageSize: Int
    /// The page size of the source in bytes.
    public let sourcePageSize: Int
    /// The journal mode that the copy preserves: "wal", or "delete" for all modes that a file doesn't store.
    public let journalMode: String
    /// The number of reserved bytes at the end of each page of the copy: in a sealed file 48, or more if pages were copied
    /// that reserve more.
    public let reservedByteCount: Int
    /// The size of the copy in bytes.
    public let byteCount: Int64
}

/// Options for sealing a plain database. All other properties of the sealed file are those of the plain one.
public struct EncryptionOptions: Sendable {
    /// The page size of the sealed file in bytes, a power of two from 1024 to 65536; nil for the page size of the plain
    /// file, or 1024 if the plain file's is 512.
    public var pageSize: Int?
    /// The label of the first key slot, at most 32 bytes of UTF-8; empty for none.
    public var label: String
    /// A recovery key, which gets the second key slot; nil for none.
    public var recoveryKey: RecoveryKey?
    /// The paths of SQLite extensions, native code, that supply collations and functions which the schema needs
    /// (`SealedDatabase.loadExtensions(_:)`).
    public var extensions: [String] = []
    /// The id of the first key slot, 16 bytes; nil for a random one.
    package var slotID: [UInt8]?

    /// Creates options. The defaults are the plain file's page size, no label and no recovery slot.
    public init(pageSize: Int? = nil, label: String = "", recoveryKey: RecoveryKey? = nil) {
        self.pageSize = pageSize
        self.label = label
        self.recoveryKey = recoveryKey
    }
}

/// The source of a copy: a plain or sealed database, which isn't changed.
struct CopySource {
    let uri: String
    let path: String
    /// The paths of the SQLite extensions for the connections that read the database.
    var extensions: [String] = []
    /// The journal mode of the database, "wal" or "delete"; nil if its connection says.
    var journalMode: String?
    /// The layout of a database whose pages reserve more bytes than sealed ones, which is copied row by row: VACUUM INTO
    /// never reserves fewer bytes than the source does. Nil for any other.
    var layout: (pageSize: Int, autoVacuum: AutoVacuum)?
    /// Called after the copy is written, before it is compared with the source.
    var willCompare: () -> Void = {}
    /// Throws an error if the source has changed in a way that its connection doesn't notice. Called before the copy
    /// gets its name.
    var finish: () throws(SealedFileError) -> Void = {}

    /// Copies the database to a file that still has its temporary name.
    func copy(
        to destination: NewFile, at place: CopyFiles, pageSize: Int?, progress: @escaping CopyProgressHandler
    ) throws(SealedFileError) -> CopyReport {
        let hadLog = FilePermissions.size(of: path + "-wal") > 0
        defer { if !hadLog { removeEmptyLog() } }
        let copier = DatabaseCopier(
            source: try connect(),
            journalMode: journalMode, willCompare: willCompare, destination: destination, place: place,
            pageSize: pageSize, progress: progress)
        return try copier.copy()
    }

    private func connect() throws(SealedFileError) -> RawConnection {
        let connection = try RawConnection(uri: uri, path: path, flags: SQLITE_OPEN_READONLY)
        try connection.load(extensions: extensions)
        return connection
    }

    /// Returns the layout if a table has both generated columns and CHECK constraints; otherwise nil.
    ///
    /// On a read-only connection SQLite doesn't load CHECK constraints, takes such a table and its copy for different ones,
    /// and VACUUM INTO then fails because it doesn't insert the generated columns.
    func layoutForRows() throws(SealedFileError) -> (pageSize: Int, autoVacuum: AutoVacuum)? {
        let connection = try connect()
        unsafe sealite_configure(connection.handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        connection.limitSchemaTrust()
        let found = try? connection.integer(
            """
            SELECT EXISTS (
                SELECT 1 FROM sqlite_schema AS t WHERE type = 'table' AND sql LIKE '%CHECK%'
                    AND EXISTS (SELECT 1 FROM pragma_table_xinfo(t.name) WHERE hidden IN (2, 3)))
            """)
        // The copy itself reports an error.
        guard found == 1, let pageSize = try? connection.integer("PRAGMA page_size"),
            let autoVacuum = try? connection.integer("PRAGMA auto_vacuum")
        else { return nil }
        return (Int(pageSize), autoVacuum == 1 ? .full : autoVacuum == 2 ? .incremental : .none)
    }

    /// Removes the empty WAL that a read-only connection creates beside a database in WAL mode and doesn't remove. A
    /// connection that may write removes it by SQLite's own rules, unless another connection has the file open.
    private func removeEmptyLog() {
        let log = path + "-wal"
        guard FilePermissions.exists(log), FilePermissions.size(of: log) == 0 else { return }
        _ = try? RawConnection(uri: uri, path: path).integer("SELECT count(*) FROM sqlite_schema")
    }
}

/// The functions that create and open the destination of a copy, sealed or plain, under its temporary name.
struct CopyFiles {
    /// The VFS on which those of the destination depend; see `NewFile.Writer`.
    let vfs: VFSChoice
    /// Returns the URI with which VACUUM INTO creates the file at a path.
    let uri: (String) throws(SealedFileError) -> String
    /// Opens the file that was created at a path.
    let open: (String) throws(SealedFileError) -> RawConnection
    /// The URI by which a row-by-row copy attaches the source, used for a copy with fewer reserved bytes; nil if VACUUM
    /// INTO makes the copy.
    var rowSourceURI: String?
    /// A Boolean value that says whether VACUUM INTO can't make the copy if copying row by row fails.
    var isCopiedByRowsOnly = false
}
