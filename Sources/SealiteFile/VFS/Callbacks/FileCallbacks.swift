import CSQLite

// One free function per method of sqlite3_io_methods. Each function finds its object, calls a method of it and converts
// thrown errors to a result code; the objects have the logic. https://sqlite.org/c3ref/io_methods.html

/// The offset in bytes of the base VFS's file structure in the memory that SQLite allocates for a file. The structure
/// of this VFS comes first.
let baseFileOffset = 16

@inline(__always)
private func reference(_ file: UnsafeMutablePointer<sqlite3_file>?) -> Unmanaged<VFSFile>? {
    guard let file = unsafe file else { return nil }
    let context = unsafe UnsafeMutableRawPointer(file).assumingMemoryBound(to: sealite_file.self).pointee.context
    guard let context = unsafe context else { return nil }
    return unsafe Unmanaged<VFSFile>.fromOpaque(context)
}

private func object(_ file: UnsafeMutablePointer<sqlite3_file>?) -> VFSFile? {
    unsafe reference(file)?.takeUnretainedValue()
}

@inline(__always)
private func withFile(
    _ file: UnsafeMutablePointer<sqlite3_file>?, _ body: (VFSFile) throws(VFSFailure) -> Void
) -> CInt {
    // `fileClose` removes the object, and SQLite makes no call concurrent with or after that one.
    guard let reference = unsafe reference(file) else { return SQLITE_MISUSE }
    return unsafe reference.borrowed { object in
        guard object.isOfThisProcess else { return refuseAfterFork(object) }
        do throws(VFSFailure) {
            try body(object)
            return SQLITE_OK
        } catch {
            if let detail = error.detail { FailureLog.note(detail, on: object) }
            return error.code
        }
    }
}

private func refuseAfterFork(_ object: VFSFile) -> CInt {
    FailureLog.note(
        SealedFileError(
            .afterFork, "the connection was opened before fork() and can't be used in the child",
            hint: "open the database again in the child process"), on: object)
    return SQLITE_MISUSE
}

func fileClose(_ file: UnsafeMutablePointer<sqlite3_file>?) -> CInt {
    guard let file = unsafe file else { return SQLITE_OK }
    let sealed = unsafe UnsafeMutableRawPointer(file).assumingMemoryBound(to: sealite_file.self)
    guard let context = unsafe sealed.pointee.context else { return SQLITE_OK }
    unsafe sealed.pointee.context = nil
    let object = unsafe Unmanaged<VFSFile>.fromOpaque(context).takeRetainedValue()
    // In a child after fork only memory is freed; the parent's file isn't touched.
    if object.isOfThisProcess {
        object.close()
        object.base.close()
    }
    unsafe file.pointee.pMethods = nil
    return SQLITE_OK
}

func fileRead(
    _ file: UnsafeMutablePointer<sqlite3_file>?, _ buffer: UnsafeMutableRawPointer?, _ count: CInt,
    _ offset: sqlite3_int64
) -> CInt {
    unsafe withFile(file) { (object) throws(VFSFailure) in
        guard let buffer = unsafe buffer else { throw VFSFailure(SQLITE_MISUSE) }
        do throws(VFSFailure) {
            unsafe try object.read(into: buffer, Int(count), at: offset)
        } catch {
            // SQLite may use the buffer of a failed read, which must contain neither ciphertext nor unauthenticated text.
            if error.code != SQLITE_IOERR_SHORT_READ { unsafe memset(buffer, 0, Int(count)) }
            throw error
        }
    }
}

func fileWrite(
    _ file: UnsafeMutablePointer<sqlite3_file>?, _ buffer: UnsafeRawPointer?, _ count: CInt, _ offset: sqlite3_int64
) -> CInt {
    unsafe withFile(file) { (object) throws(VFSFailure) in
        guard let buffer = unsafe buffer else { throw VFSFailure(SQLITE_MISUSE) }
        unsafe try object.write(buffer, Int(count), at: offset)
    }
}

func fileTruncate(_ file: UnsafeMutablePointer<sqlite3_file>?, _ size: sqlite3_int64) -> CInt {
    unsafe withFile(file) { (object) throws(VFSFailure) in try object.truncate(to: size) }
}

func fileSync(_ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: CInt) -> CInt {
    unsafe withFile(file) { (object) throws(VFSFailure) in try object.sync(flags) }
}

func fileSize(_ file: UnsafeMutablePointer<sqlite3_file>?, _ size: UnsafeMutablePointer<sqlite3_int64>?) -> CInt {
    unsafe withFile(file) { (object) throws(VFSFailure) in unsafe size?.pointee = try object.size() }
}

func fileLock(_ file: UnsafeMutablePointer<sqlite3_file>?, _ level: CInt) -> CInt {
    unsafe withFile(file) { (object) throws(VFSFailure) in try object.lock(level) }
}

func fileUnlock(_ file: UnsafeMutablePointer<sqlite3_file>?, _ level: CInt) -> CInt {
    unsafe withFile(file) { (object) throws(VFSFailure) in try object.unlock(level) }
}

func fileCheckReservedLock(_ file: UnsafeMutablePointer<sqlite3_file>?, _ result: UnsafeMutablePointer<CInt>?) -> CInt {
    unsafe withFile(file) { (object) throws(VFSFailure) in unsafe try check(object.base.checkReservedLock(result)) }
}

func fileControl(
    _ file: UnsafeMutablePointer<sqlite3_file>?, _ operation: CInt, _ argument: UnsafeMutableRawPointer?
) -> CInt {
    if operation == PrivateControl.failure {
        // The failure of a handle that is refused can be fetched too.
        return unsafe PrivateControl.answerFailure(object(file), argument)
    }
    return unsafe withFile(file) { (object) throws(VFSFailure) in unsafe try object.control(operation, argument) }
}

func fileSectorSize(_ file: UnsafeMutablePointer<sqlite3_file>?) -> CInt {
    unsafe object(file)?.base.sectorSize ?? 4096
}

func fileDeviceCharacteristics(_ file: UnsafeMutablePointer<sqlite3_file>?) -> CInt {
    // An allow-list. POWERSAFE_OVERWRITE is always reported: without it SQLite pads and splits WAL frames.
    // Every ATOMIC flag, BATCH_ATOMIC, SAFE_APPEND and SEQUENTIAL are masked: writes of sealed pages don't have these
    // properties.
    SQLITE_IOCAP_POWERSAFE_OVERWRITE
}

func fileShmMap(
    _ file: UnsafeMutablePointer<sqlite3_file>?, _ region: CInt, _ size: CInt, _ extend: CInt,
    _ memory: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> CInt {
    guard let object = unsafe object(file) else { return SQLITE_MISUSE }
    guard object.isOfThisProcess else { return refuseAfterFork(object) }
    // SQLITE_READONLY and similar codes are regular results of this method rather than failures, and are returned
    // unchanged.
    let code = unsafe object.base.shmMap(region, size, extend, memory)
    if code & 0xFF == SQLITE_CANTOPEN, let main = object as? MainFile { main.noteWhyNotMade(main.origin.path + "-shm") }
    unsafe object.shmMapped(region: region, memory.flatMap { unsafe UnsafeRawPointer($0.pointee) })
    return code
}

func fileShmLock(_ file: UnsafeMutablePointer<sqlite3_file>?, _ offset: CInt, _ count: CInt, _ flags: CInt) -> CInt {
    unsafe withFile(file) { (object) throws(VFSFailure) in
        let change = WALLockChange(offset: offset, count: count, flags: flags)
        try check(object.shmLock(change))
        do throws(VFSFailure) {
            try object.shmLocked(change)
        } catch {
            // The caller receives a failure, so it must not hold the lock.
            object.shmGiveBack(change)
            throw error
        }
    }
}

func fileShmBarrier(_ file: UnsafeMutablePointer<sqlite3_file>?) {
    guard let object = unsafe object(file), object.isOfThisProcess else { return }
    object.base.shmBarrier()
}

func fileShmUnmap(_ file: UnsafeMutablePointer<sqlite3_file>?, _ delete: CInt) -> CInt {
    unsafe withFile(file) { (object) throws(VFSFailure) in
        object.shmUnmapped()
        try check(object.base.shmUnmap(delete))
    }
}

/// The `sqlite3_io_methods` tables of the encrypting VFS, with the functions that SQLite calls on open files. They are
/// created once, and never changed or freed.
enum MethodTables {
    /// The table for files whose base VFS can share memory, as a WAL requires: database files on unix.
    static var withSharedMemory: UnsafePointer<sqlite3_io_methods> { unsafe UnsafePointer(sharing) }
    /// The table for every other file.
    static var plain: UnsafePointer<sqlite3_io_methods> { unsafe UnsafePointer(notSharing) }

    // Written before the first use and never again: `let` of a pointer that nobody writes through.
    nonisolated(unsafe) private static let sharing = unsafe make(version: 2)
    // Written before the first use and never again: `let` of a pointer that nobody writes through.
    nonisolated(unsafe) private static let notSharing = unsafe make(version: 1)

    /// Creates a table. xFetch (version 3) is omitted: a memory-mapped page would be read without decryption.
    private static func make(version: CInt) -> UnsafeMutablePointer<sqlite3_io_methods> {
        let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        unsafe methods.initialize(
            to: sqlite3_io_methods(
                iVersion: version, xClose: fileClose, xRead: fileRead, xWrite: fileWrite, xTruncate: fileTruncate,
                xSync: fileSync, xFileSize: fileSize, xLock: fileLock, xUnlock: fileUnlock,
                xCheckReservedLock: fileCheckReservedLock, xFileControl: fileControl, xSectorSize: fileSectorSize,
                xDeviceCharacteristics: fileDeviceCharacteristics, xShmMap: fileShmMap, xShmLock: fileShmLock,
                xShmBarrier: fileShmBarrier, xShmUnmap: fileShmUnmap, xFetch: nil, xUnfetch: nil))
        return unsafe methods
    }
}
