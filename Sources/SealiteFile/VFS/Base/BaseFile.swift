import CSQLite

/// A file of the underlying VFS, and the only way to a database file's bytes: open(2) and close(2) outside it would
/// drop SQLite's POSIX locks in the whole process. Methods return SQLite result codes.
///
/// https://sqlite.org/c3ref/io_methods.html
@safe package struct BaseFile {
    private let file: UnsafeMutablePointer<sqlite3_file>

    init(_ file: UnsafeMutablePointer<sqlite3_file>) { unsafe self.file = unsafe file }

    @inline(__always)
    private var methods: UnsafePointer<sqlite3_io_methods>? { unsafe file.pointee.pMethods }

    /// The version of the file's methods; 2 or more if it can share memory for a WAL.
    var version: CInt { unsafe methods?.pointee.iVersion ?? 0 }

    @inline(__always)
    package func read(into buffer: UnsafeMutableRawPointer, _ byteCount: Int, at offset: Int64) -> CInt {
        assert(byteCount <= Int(CInt.max) && offset >= 0, "SQLite's VFS counts the bytes of a call in a C int")
        guard let call = unsafe methods?.pointee.xRead else { return SQLITE_IOERR_READ }
        return unsafe call(file, buffer, CInt(truncatingIfNeeded: byteCount), offset)
    }

    @inline(__always)
    package func write(_ buffer: UnsafeRawPointer, _ byteCount: Int, at offset: Int64) -> CInt {
        assert(byteCount <= Int(CInt.max) && offset >= 0, "SQLite's VFS counts the bytes of a call in a C int")
        guard let call = unsafe methods?.pointee.xWrite else { return SQLITE_IOERR_WRITE }
        return unsafe call(file, buffer, CInt(truncatingIfNeeded: byteCount), offset)
    }

    package func write(_ bytes: [UInt8], at offset: Int64) -> CInt {
        unsafe bytes.withUnsafeBytes { buffer in
            guard let start = buffer.baseAddress else { return SQLITE_OK }
            return unsafe write(start, buffer.count, at: offset)
        }
    }

    /// Reads up to `byteCount` bytes, and fewer at the end of the file.
    package func bytes(_ byteCount: Int, at offset: Int64) -> Result<[UInt8], VFSFailure> {
        var bytes = [UInt8](repeating: 0, count: byteCount)
        let code = unsafe bytes.withUnsafeMutableBytes { buffer in
            guard let start = buffer.baseAddress else { return SQLITE_OK }
            return unsafe read(into: start, byteCount, at: offset)
        }
        switch code {
        case SQLITE_OK:
            return .success(bytes)
        case SQLITE_IOERR_SHORT_READ:
            return size().map { size in
                Array(bytes.prefix(Int(max(0, min(Int64(byteCount), size - offset)))))
            }
        default:
            return .failure(VFSFailure(code))
        }
    }

    package func size() -> Result<Int64, VFSFailure> {
        guard let call = unsafe methods?.pointee.xFileSize else { return .failure(VFSFailure(SQLITE_IOERR_FSTAT)) }
        var size: sqlite3_int64 = 0
        let code = unsafe call(file, &size)
        return code == SQLITE_OK ? .success(size) : .failure(VFSFailure(code))
    }

    package func truncate(to byteCount: Int64) -> CInt {
        assert(byteCount >= 0)
        guard let call = unsafe methods?.pointee.xTruncate else { return SQLITE_IOERR_TRUNCATE }
        return unsafe call(file, byteCount)
    }

    package func sync(_ flags: CInt) -> CInt {
        guard let call = unsafe methods?.pointee.xSync else { return SQLITE_IOERR_FSYNC }
        return unsafe call(file, flags)
    }

    func close() {
        guard let call = unsafe methods?.pointee.xClose else { return }
        _ = unsafe call(file)
    }

    package func lock(_ level: CInt) -> CInt {
        assert((SQLITE_LOCK_SHARED...SQLITE_LOCK_EXCLUSIVE).contains(level) && level != SQLITE_LOCK_PENDING)
        guard let call = unsafe methods?.pointee.xLock else { return SQLITE_IOERR_LOCK }
        return unsafe call(file, level)
    }

    package func unlock(_ level: CInt) -> CInt {
        assert(
            level == SQLITE_LOCK_NONE || level == SQLITE_LOCK_SHARED, "a lock goes down to the shared one or to none")
        guard let call = unsafe methods?.pointee.xUnlock else { return SQLITE_IOERR_UNLOCK }
        return unsafe call(file, level)
    }

    package func checkReservedLock(_ result: UnsafeMutablePointer<CInt>?) -> CInt {
        guard let call = unsafe methods?.pointee.xCheckReservedLock else { return SQLITE_IOERR_CHECKRESERVEDLOCK }
        return unsafe call(file, result)
    }

    func fileControl(_ operation: CInt, _ argument: UnsafeMutableRawPointer?) -> CInt {
        guard let call = unsafe methods?.pointee.xFileControl else { return SQLITE_NOTFOUND }
        return unsafe call(file, operation, argument)
    }

    var sectorSize: CInt {
        guard let call = unsafe methods?.pointee.xSectorSize else { return 4096 }
        return unsafe call(file)
    }

    // MARK: Shared memory

    func shmMap(
        _ region: CInt, _ byteCount: CInt, _ extend: CInt,
        _ memory: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    ) -> CInt {
        guard let call = unsafe methods?.pointee.xShmMap else { return SQLITE_IOERR_SHMMAP }
        return unsafe call(file, region, byteCount, extend, memory)
    }

    func shmLock(_ offset: CInt, _ count: CInt, _ flags: CInt) -> CInt {
        assert(offset >= 0 && count > 0 && offset + count <= 8, "the index of a log has eight locks")
        assert((flags & SQLITE_SHM_LOCK != 0) != (flags & SQLITE_SHM_UNLOCK != 0), "a call locks or unlocks")
        assert((flags & SQLITE_SHM_SHARED != 0) != (flags & SQLITE_SHM_EXCLUSIVE != 0), "a lock is shared or exclusive")
        guard let call = unsafe methods?.pointee.xShmLock else { return SQLITE_IOERR_SHMLOCK }
        return unsafe call(file, offset, count, flags)
    }

    func shmBarrier() {
        guard let call = unsafe methods?.pointee.xShmBarrier else { return }
        unsafe call(file)
    }

    func shmUnmap(_ delete: CInt) -> CInt {
        guard let call = unsafe methods?.pointee.xShmUnmap else { return SQLITE_OK }
        return unsafe call(file, delete)
    }
}

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
