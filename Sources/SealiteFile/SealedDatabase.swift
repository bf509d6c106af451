import CSQLite
import Glibc
import Synchronization

/// A handle on an unlocked sealed (encrypted) database. Any number of connections in this process can open the file by
/// means of the handle's ``uri``.
///
/// The key derivation runs once for each handle, and not for each connection. Keys appear in no URI and no SQL. Handles
/// are thread-safe; connections follow SQLite's own rules. After the last handle on a database is released, open
/// connections keep its keys until they close; `lock()` wipes the keys at once.
///
/// ```swift
/// import CSQLite  // a system library target of the program, for sqlite3.h
/// import SealiteFile
///
/// let notes = try SealedDatabase.open("notes.db", key: .passphrase(passphrase))
/// var connection: OpaquePointer?
/// sqlite3_open_v2(notes.uri, &connection, SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI, nil)
/// ```
public final class SealedDatabase: Sendable {
    /// The path at which the database was unlocked.
    public let path: String
    package let ring: KeyRing
    package let vfs: VFSChoice
    /// The paths of the SQLite extensions that are loaded on the handle's own connections.
    let extensionPaths = Mutex<[String]>([])

    package init(path: String, ring: KeyRing, vfs: VFSChoice) {
        self.path = path
        self.ring = ring
        self.vfs = vfs
        KeyRegistry.add(ring)
    }

    /// Unlocks a sealed database.
    ///
    /// With a passphrase, the call takes as long as scrypt, about half a second and 128 MiB by default: don't call it
    /// on an executor that must not block.
    ///
    /// - Throws: `SealedFileError`: `noSuchFile`, `permission`, `notSealed`, `plainDatabase`, `unsupportedVersion`,
    ///   `damagedHeader`, `tamperedHeader`, `wrongKey`, `costRefused`, `invalidArgument` for a key of an invalid
    ///   length, `notAFile`, `inputOutput`.
    public static func open(
        _ path: String, key: borrowing UnlockKey, limits: UnlockLimits = UnlockLimits()
    ) throws(SealedFileError) -> SealedDatabase {
        try open(path, key: key, limits: limits, vfs: .standard)
    }

    package static func open(
        _ path: String, key: borrowing UnlockKey, limits: UnlockLimits = UnlockLimits(), vfs: VFSChoice
    ) throws(SealedFileError) -> SealedDatabase {
        try vfs.register()
        let region = try BaseHandle.readHeader(path, vfs: vfs.base)
        do throws(SealedFileError) {
            let opened = try SlotOpening.open(region.content, with: key, limits: limits)
            return SealedDatabase(path: path, ring: try KeyRing(opened: opened, region: region, path: path), vfs: vfs)
        } catch {
            throw error.about(path)
        }
    }

    /// Unlocks the file again for this handle and all its connections, after a rotation whose new keys the handle
    /// couldn't derive (error `unlockAgain`).
    ///
    /// - Throws: `SealedFileError`: the errors of `open(_:key:limits:)`, `fileReplaced` for another database,
    ///   `rolledBack` for a header older than the one that the handle read last, `busy` if the header was changed
    ///   during the call, `locked`.
    public func unlockAgain(
        key: borrowing UnlockKey, limits: UnlockLimits = UnlockLimits()
    ) throws(SealedFileError) {
        let known = ring.generation
        let region = try BaseHandle.readHeader(path, vfs: vfs.base)
        do throws(SealedFileError) {
            try ring.requireSameFile(region)
            try ring.requireNotBefore(known, region)
            let opened = try SlotOpening.open(region.content, with: key, limits: limits)
            try ring.replaceKeys(opened: opened, region: region)
        } catch {
            throw error.about(path)
        }
    }

    /// Wipes the keys. Every later read or write of every connection that was opened by this handle fails with
    /// `locked`.
    public func lock() { ring.wipe() }

    /// A Boolean value that says whether `lock()` was called.
    public var isLocked: Bool { ring.isLocked }

    /// The database id, 32 hex digits. Not a secret.
    public var databaseID: String { ring.databaseID.hex }

    /// The page size in bytes.
    public var pageSize: Int { ring.pageSize }

    /// The URI to open connections with, through any library that passes `SQLITE_OPEN_URI`. It contains no key.
    public var uri: String { vfs.uri(path) + "&\(KeyRegistry.handleParameter)=\(ring.handleNumber)" }

    /// A read-only form of `uri`.
    public var readOnlyURI: String { uri + "&mode=ro" }

    /// Returns a URI for `VACUUM INTO` or `ATTACH` that creates an encrypted file with this database's key slots, a new
    /// database id and a new page key. If this is the only database that the process has unlocked, a plain path does
    /// the same; if several are unlocked, a plain path fails, because SQLite doesn't pass on which database the new
    /// file belongs to.
    public func uri(forCopyAt path: String) -> String {
        vfs.reaching(path).uri(path) + "&\(CreationTemplate.parameter)=\(databaseID)"
    }

    /// Opens a connection for Sealite's own work. `busyTimeout` is the time to wait for a lock; nil for the standard
    /// time.
    package func connect(
        flags: CInt = SQLITE_OPEN_READWRITE, busyTimeout: Duration? = nil
    ) throws(SealedFileError) -> RawConnection {
        let connection = try RawConnection(uri: uri, path: path, flags: flags, busyTimeout: busyTimeout)
        try connection.load(extensions: extensions)
        return connection
    }

    /// Opens a connection that can't write.
    package func connectReadOnly() throws(SealedFileError) -> RawConnection {
        try connect(flags: SQLITE_OPEN_READONLY)
    }

    /// Removes the empty write-ahead log, with its shared memory, that connections without the right to write leave
    /// beside the file: only a connection that may write removes them when it closes. A log with content, and one that
    /// another connection uses, stays. A failure is ignored.
    package func removeEmptyLog() {
        var status = stat()
        guard unsafe stat(path + "-wal", &status) == 0, status.st_size == 0 else { return }
        guard let connection = try? connect(busyTimeout: .zero) else { return }
        // The log is opened by the first statement that reads.
        _ = try? connection.integer("PRAGMA schema_version")
    }

    /// Sets the object that keeps the read lock of an open connection between its read transactions.
    ///
    /// - Returns: false if the connection doesn't use the encrypting VFS.
    package static func keepReadLocks(of connection: OpaquePointer, _ keeper: ReadLockKeeper) -> Bool {
        unsafe sqlite3_file_control(
            connection, "main", PrivateControl.keepReadLocks, Unmanaged.passUnretained(keeper).toOpaque()) == SQLITE_OK
    }

    /// Returns the reason of the last failed call on an open connection, if the encrypting VFS caused the failure, or if
    /// the newest call failed because the program lacks SQL functions of documents, as `failure(reportedAs:)` says. For a
    /// failure of the VFS SQLite itself reports only "disk I/O error".
    ///
    /// - Parameters:
    ///   - connection: an open `sqlite3 *`.
    ///   - schema: the name of the database on that connection: "main", or the name it was attached under.
    /// - Returns: the reason; nil if no call failed or the file doesn't use the encrypting VFS.
    public static func failure(of connection: OpaquePointer, schema: String = "main") -> SealedFileError? {
        if let failure = unsafe PrivateControl.failure(of: connection, schema: schema) { return failure }
        guard unsafe sqlite3_errcode(connection) == SQLITE_ERROR else { return nil }
        return unsafe failure(reportedAs: String(cString: sqlite3_errmsg(connection)))
    }

    /// Returns the reason behind a message of SQLite, such as that of GRDB's `DatabaseError`, if a statement, or an index
    /// or a trigger of its table, needs SQL functions of documents that this program doesn't have, because it doesn't
    /// link `SealiteDatabase`. SQLite refuses to write such a table, and reports "no such function" or "unknown
    /// function".
    ///
    /// - Returns: an error of the code `refused`; nil if the message has another cause.
    public static func failure(reportedAs message: String) -> SealedFileError? {
        SealedFileError.missingFunctions(message)
    }

    /// Returns the reason of the last failure to open a path, or of the last failure on a connection to it that was closed
    /// since, if the encrypting VFS caused the failure; nil otherwise, and once the path has been opened successfully.
    public static func failure(opening path: String) -> SealedFileError? { FailureLog.failure(opening: path) }

    /// The reason of the latest failure in this process to open any path through the encrypting VFS; nil if none is
    /// recorded.
    package static var newestOpeningFailure: SealedFileError? { FailureLog.newestOpeningFailure }

    /// Returns whether the file at a path is a sealed database. Only the magic numbers of its two header copies are
    /// checked, one of which suffices; false if the file can't be read.
    public static func isSealed(_ path: String) -> Bool {
        guard let handle = try? BaseHandle(path, vfs: VFSChoice.standard.base, flags: SQLITE_OPEN_READONLY),
            let bytes = try? handle.file.bytes(HeaderLayout.copyByteCount + HeaderLayout.magic.count, at: 0).get()
        else { return false }
        return bytes.starts(with: HeaderLayout.magic)
            || bytes.dropFirst(HeaderLayout.copyByteCount).starts(with: HeaderLayout.magic)
    }
}

/// The VFS through which a handle opens its file: the encrypting VFS, registered under `name`, on top of the VFS
/// `base`, which is SQLite's "unix" in the standard choice.
package struct VFSChoice: Sendable {
    package let name: String
    package let base: String

    package init(name: String, base: String) {
        self.name = name
        self.base = base
    }

    package static let standard = VFSChoice(name: SealedVFS.name, base: "unix")

    /// The choice for a draft, a new file without a name, that is sealed.
    private static let draft = VFSChoice(name: "sealite-draft", base: DraftVFS.name)

    /// Returns the choice by which SQLite reaches the file at a path: this one, or a corresponding one for a draft.
    package func reaching(_ path: String) -> VFSChoice {
        guard DraftPath.descriptor(of: path) != nil else { return self }
        // If SQLite refused to register a VFS, opening the file fails with its name.
        try? DraftVFS.register()
        try? Self.draft.register()
        return name == base ? VFSChoice(name: DraftVFS.name, base: DraftVFS.name) : .draft
    }

    package func register() throws(SealedFileError) { try SealedVFS.register(name: name, over: base) }

    /// Returns the URI with which SQLite opens a path through this VFS. https://sqlite.org/uri.html
    package func uri(_ path: String) -> String {
        let unreserved = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/".utf8)
        // Without the folder, SQLite would open an in-memory database instead of the file of that name.
        var path = path == ":memory:" ? "./:memory:" : path
        // A URI's authority follows two slashes. Linux treats several slashes as one.
        if path.hasPrefix("//") { path = "/" + path.drop { $0 == "/" } }
        let escaped = path.utf8.map { byte in
            unreserved.contains(byte) ? String(UnicodeScalar(byte)) : "%" + [byte].hex.uppercased()
        }
        return "file:\(escaped.joined())?vfs=\(name)"
    }
}
