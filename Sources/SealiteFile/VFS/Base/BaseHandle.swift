import CSQLite

/// A file opened through the base VFS alone, beneath the encrypting one, without an SQLite connection and without keys;
/// for example a database whose header is read. The base VFS knows SQLite's own handles on the file and keeps their
/// locks when this one is closed.
@safe package final class BaseHandle {
    package let file: BaseFile
    private let memory: UnsafeMutableRawPointer
    private let name: UnsafePointer<CChar>

    /// Opens a file. `kind` is SQLite's type of the file, such as `SQLITE_OPEN_WAL`.
    package init(
        _ path: String, vfs vfsName: String, flags: CInt, kind: CInt = SQLITE_OPEN_MAIN_DB
    ) throws(SealedFileError) {
        guard let vfs = unsafe sqlite3_vfs_find(vfsName), let open = unsafe vfs.pointee.xOpen else {
            throw SealedFileError(.invalidArgument, "SQLite has no VFS named \"\(vfsName)\"")
        }
        if let reason = FilePermissions.reasonNotToWaitFor(path) { throw reason }
        var fullPath = [CChar](repeating: 0, count: Int(unsafe vfs.pointee.mxPathname) + 1)
        let code = unsafe vfs.pointee.xFullPathname?(vfs, path, CInt(fullPath.count), &fullPath)
        guard let code, code & 0xFF == SQLITE_OK,
            let name = unsafe sqlite3_create_filename(fullPath, path + "-journal", path + "-wal", 0, nil)
        else {
            throw FilePermissions.reasonNotToOpen(path)
                ?? SealedFileError(
                    .inputOutput, "\"\(path)\" isn't a usable path: it is too long, or can't be resolved")
        }
        unsafe memory = .allocate(byteCount: Int(vfs.pointee.szOsFile), alignment: 16)
        unsafe memset(memory, 0, Int(vfs.pointee.szOsFile))
        let pointer = unsafe memory.assumingMemoryBound(to: sqlite3_file.self)
        unsafe file = BaseFile(pointer)
        unsafe self.name = unsafe name
        let opened = unsafe open(vfs, name, pointer, flags | kind, nil)
        guard opened == SQLITE_OK else {
            // The deinit closes nothing in this case: a failed open leaves no methods.
            let isNew = flags & SQLITE_OPEN_CREATE != 0 && !FilePermissions.exists(path)
            let reason = isNew ? FilePermissions.reasonNotToMake(path) : FilePermissions.reasonNotToOpen(path)
            throw reason ?? SealedFileError(sqlite: opened, doing: "opening \"\(path)\"")
        }
    }

    deinit {
        file.close()
        unsafe memory.deallocate()
        unsafe sqlite3_free_filename(name)
    }

    /// Returns whether a file exists.
    package static func exists(_ path: String, vfs vfsName: String) throws(SealedFileError) -> Bool {
        guard let vfs = unsafe sqlite3_vfs_find(vfsName), let access = unsafe vfs.pointee.xAccess else { return false }
        var result: CInt = 0
        let code = unsafe access(vfs, path, SQLITE_ACCESS_EXISTS, &result)
        guard code == SQLITE_OK else { throw SealedFileError(sqlite: code, doing: "looking for \"\(path)\"") }
        return result != 0
    }

    /// Removes a file, if it exists, and makes its absence durable.
    static func remove(_ path: String, vfs vfsName: String) throws(SealedFileError) {
        guard let vfs = unsafe sqlite3_vfs_find(vfsName), let delete = unsafe vfs.pointee.xDelete else { return }
        let code = unsafe delete(vfs, path, 1)
        guard code == SQLITE_OK || code == SQLITE_IOERR_DELETE_NOENT else {
            throw SealedFileError(sqlite: code, doing: "removing \"\(path)\"")
        }
    }

    /// Reads both header copies of a database file without authenticating them, which takes a key.
    package static func readHeader(_ path: String, vfs: String) throws(SealedFileError) -> HeaderRegion {
        let handle = try BaseHandle(path, vfs: vfs, flags: SQLITE_OPEN_READONLY)
        do throws(SealedFileError) {
            let bytes = try SealedFileError.mapping { () throws(VFSFailure) in
                try handle.file.bytes(HeaderLayout.regionByteCount, at: 0).get()
            }
            return try HeaderRegion(parsing: bytes)
        } catch {
            // Opening a folder succeeds, and reading it fails.
            let reason = error.code == .inputOutput ? FilePermissions.reasonNotToOpen(path) : nil
            throw (reason ?? error).about(path)
        }
    }
}
