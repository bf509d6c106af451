import CSQLite
import SealiteCrypto
import SealiteFunctions
import Synchronization

/// The VFS itself: what SQLite finds under the name "sealite". https://sqlite.org/c3ref/vfs.html
package enum SealedVFS {
    /// The name to open databases with: `file:notes.db?vfs=sealite`.
    package static let name = "sealite"

    /// The names registered so far. A VFS stays registered as long as the process lives.
    private static let registered = Mutex<Set<String>>([])

    /// Registers the VFS over another one (the system's by default), and the functions over bodies for all connections to come, so that
    /// an index on one of them can be kept and checked wherever its file can be opened. Registering a name again does nothing.
    package static func register(name: String = SealedVFS.name, over baseName: String? = nil) throws(SealedFileError) {
        try registered.withLock { (names) throws(SealedFileError) in
            // Every time: a host may have emptied SQLite's list. What is listed isn't listed twice.
            let functions = BodyFunctions.registerOnNewConnections()
            guard functions == SQLITE_OK else {
                throw SealedFileError(sqlite: functions, doing: "registering the functions over bodies")
            }
            guard !names.contains(name) else { return }
            guard let base = unsafe find(baseName) else {
                throw SealedFileError(.invalidArgument, "SQLite knows no VFS \"\(baseName ?? "unix")\"")
            }
            let code = unsafe sqlite3_vfs_register(make(name, over: base), 0)
            guard code == SQLITE_OK else { throw SealedFileError(sqlite: code, doing: "registering the VFS") }
            names.insert(name)
        }
    }

    private static func find(_ name: String?) -> UnsafeMutablePointer<sqlite3_vfs>? {
        // By name: whatever another library made the default must not come between us and the file.
        unsafe (name ?? "unix").withCString { unsafe sqlite3_vfs_find($0) }
    }

    /// Builds the structure. Never freed: SQLite may use it until the process ends.
    private static func make(
        _ name: String, over base: UnsafeMutablePointer<sqlite3_vfs>
    ) -> UnsafeMutablePointer<sqlite3_vfs> {
        let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        unsafe vfs.initialize(to: sqlite3_vfs())
        unsafe vfs.pointee.iVersion = 2
        unsafe vfs.pointee.szOsFile = CInt(baseFileOffset) + base.pointee.szOsFile
        unsafe vfs.pointee.mxPathname = base.pointee.mxPathname
        unsafe vfs.pointee.zName = UnsafePointer(strdup(name))
        unsafe vfs.pointee.pAppData = UnsafeMutableRawPointer(base)
        unsafe vfs.pointee.xOpen = unsafe systemOpen
        unsafe vfs.pointee.xDelete = unsafe systemDelete
        unsafe vfs.pointee.xAccess = unsafe systemAccess
        unsafe vfs.pointee.xFullPathname = unsafe systemFullPathname
        unsafe vfs.pointee.xDlOpen = unsafe systemDlOpen
        unsafe vfs.pointee.xDlError = unsafe systemDlError
        unsafe vfs.pointee.xDlSym = unsafe systemDlSym
        unsafe vfs.pointee.xDlClose = unsafe systemDlClose
        unsafe vfs.pointee.xRandomness = unsafe systemRandomness
        unsafe vfs.pointee.xSleep = unsafe systemSleep
        unsafe vfs.pointee.xCurrentTime = unsafe systemCurrentTime
        unsafe vfs.pointee.xGetLastError = unsafe systemGetLastError
        unsafe vfs.pointee.xCurrentTimeInt64 = unsafe systemCurrentTimeInt64
        return unsafe vfs
    }
}

/// What SQLite asks for when it opens a file.
@safe struct OpenRequest {
    let name: UnsafePointer<CChar>?
    let flags: CInt
    let base: BaseFile
    let baseVFS: String

    private static let kinds: CInt =
        SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_TEMP_DB | SQLITE_OPEN_TRANSIENT_DB | SQLITE_OPEN_MAIN_JOURNAL
        | SQLITE_OPEN_TEMP_JOURNAL | SQLITE_OPEN_SUBJOURNAL | SQLITE_OPEN_SUPER_JOURNAL | SQLITE_OPEN_WAL

    var path: String { unsafe name.map { unsafe String(cString: $0) } ?? "" }

    /// The object for a file that the base VFS has just opened.
    func makeFile(isReadOnly: Bool) throws(VFSFailure) -> VFSFile {
        guard let name = unsafe name else { return try makeTemporaryFile() }
        switch flags & Self.kinds {
        case SQLITE_OPEN_MAIN_DB:
            // As other products are given their keys; ignored, it would seem to have worked.
            for word in ["key", "hexkey", "textkey"] where unsafe sqlite3_uri_parameter(name, word) != nil {
                throw VFSFailure(SQLITE_CANTOPEN, .keyInURI(word))
            }
            let file = try unsafe MainFile(
                base: base, path: path, nameKey: UInt(bitPattern: name), isReadOnly: isReadOnly, baseVFS: baseVFS,
                template: flags & SQLITE_OPEN_CREATE != 0 ? CreationTemplate.find(name) : nil,
                handleNumber: sqlite3_uri_parameter(name, KeyRegistry.handleParameter)
                    .flatMap { unsafe Int(String(cString: $0)) })
            LiveFiles.add(file)
            return file
        case SQLITE_OPEN_MAIN_JOURNAL:
            // Not of a database of ours: another file's recovery looks for a super-journal's name, in clear.
            guard let main = unsafe LiveFiles.database(ofJournal: name) else { return VFSFile(base: base) }
            let file = JournalFile(base: base, main: main, ring: try main.loadKeys()?.ring)
            main.journal = file
            return file
        case SQLITE_OPEN_WAL:
            guard let main = unsafe LiveFiles.database(ofWAL: name) else {
                throw VFSFailure(SQLITE_CANTOPEN, SealedFileError(.internalFailure, "a WAL without its database"))
            }
            let file = WALFile(base: base, main: main, ring: try main.requireKeys().ring)
            main.wal = file
            return file
        case SQLITE_OPEN_SUPER_JOURNAL:
            // In clear: file names only, and every process that recovers must be able to read it.
            return VFSFile(base: base)
        default:
            return try makeTemporaryFile()
        }
    }

    private func makeTemporaryFile() throws(VFSFailure) -> VFSFile {
        try sealing { () throws(SealedFileError) in try TemporaryFile(sealing: base) }
    }
}
