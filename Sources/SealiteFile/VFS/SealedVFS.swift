import CSQLite
import Synchronization

/// The encrypting VFS, which SQLite knows as "sealite". https://sqlite.org/c3ref/vfs.html
package enum SealedVFS {
    /// The name to open databases with: `file:notes.db?vfs=sealite`.
    package static let name = "sealite"

    /// The registered names. A VFS stays registered until the process ends.
    private static let registered = Mutex<Set<String>>([])

    /// Registers the VFS over another one (SQLite's "unix" by default), and has SQLite call the hook for new connections
    /// on each connection that is opened from then on. Registering a name again has no effect.
    ///
    /// The hook is the C function `sealite_new_connection`, which a program has if it links `SealiteFunctions`: it
    /// registers the SQL functions that read the bodies of documents. No call registers the hook, so that none can be
    /// forgotten or come too late for a connection.
    package static func register(name: String = SealedVFS.name, over baseName: String? = nil) throws(SealedFileError) {
        try registered.withLock { (names) throws(SealedFileError) in
            // Repeated on each call: a host may have cleared SQLite's list. A listed function isn't added twice.
            let hooked = sealite_hook_new_connections()
            guard hooked == SQLITE_OK else {
                throw SealedFileError(sqlite: hooked, doing: "registering the hook for new connections with SQLite")
            }
            guard !names.contains(name) else { return }
            guard let base = unsafe find(baseName) else {
                throw SealedFileError(.invalidArgument, "SQLite has no VFS named \"\(baseName ?? "unix")\"")
            }
            let fileByteCount = unsafe CInt(baseFileOffset) + base.pointee.szOsFile
            let code = unsafe sqlite3_vfs_register(make(name, over: base, fileByteCount: fileByteCount), 0)
            guard code == SQLITE_OK else {
                throw SealedFileError(sqlite: code, doing: "registering the VFS \"\(name)\" with SQLite")
            }
            names.insert(name)
        }
    }

    private static func find(_ name: String?) -> UnsafeMutablePointer<sqlite3_vfs>? {
        // Found by its name: a default VFS installed by another library must not come between this VFS and the file.
        unsafe (name ?? "unix").withCString { unsafe sqlite3_vfs_find($0) }
    }

    /// Builds the `sqlite3_vfs` structure. It is never freed, because SQLite may use it until the process ends.
    static func make(
        _ name: String, over base: UnsafeMutablePointer<sqlite3_vfs>, fileByteCount: CInt
    ) -> UnsafeMutablePointer<sqlite3_vfs> {
        precondition(unsafe MemoryLayout<sealite_file>.size <= baseFileOffset, "the base VFS's file follows this one's")
        let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        unsafe vfs.initialize(
            to: sqlite3_vfs(
                iVersion: 2, szOsFile: fileByteCount, mxPathname: base.pointee.mxPathname, pNext: nil,
                zName: UnsafePointer(strdup(name)), pAppData: UnsafeMutableRawPointer(base), xOpen: systemOpen,
                xDelete: systemDelete, xAccess: systemAccess, xFullPathname: systemFullPathname, xDlOpen: systemDlOpen,
                xDlError: systemDlError, xDlSym: systemDlSym, xDlClose: systemDlClose, xRandomness: systemRandomness,
                xSleep: systemSleep, xCurrentTime: systemCurrentTime, xGetLastError: systemGetLastError,
                xCurrentTimeInt64: systemCurrentTimeInt64, xSetSystemCall: nil, xGetSystemCall: nil,
                xNextSystemCall: nil))
        return unsafe vfs
    }
}
