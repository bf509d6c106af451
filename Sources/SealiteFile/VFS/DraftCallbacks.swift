import CSQLite
import Glibc
import Synchronization

// The VFS through which SQLite reaches drafts, plain ones directly and sealed ones beneath the encrypting VFS: one free
// function per method, without logic. https://sqlite.org/c3ref/vfs.html

/// The VFS of drafts. It opens no other file, except temporary ones, which SQLite's "unix" opens.
enum DraftVFS {
    static let name = "sealite-unnamed"

    private static let isRegistered = Mutex(false)

    /// Registers the VFS. Registering it again has no effect.
    static func register() throws(SealedFileError) {
        try isRegistered.withLock { (isRegistered) throws(SealedFileError) in
            guard !isRegistered else { return }
            guard let unix = unsafe sqlite3_vfs_find("unix") else {
                throw SealedFileError(.invalidArgument, "SQLite has no VFS named \"unix\"")
            }
            let code = unsafe sqlite3_vfs_register(make(over: unix), 0)
            guard code == SQLITE_OK else {
                throw SealedFileError(sqlite: code, doing: "registering the VFS \"\(name)\" with SQLite")
            }
            isRegistered = true
        }
    }

    /// Builds the `sqlite3_vfs` structure, which SQLite may use until the process ends.
    private static func make(over unix: UnsafeMutablePointer<sqlite3_vfs>) -> UnsafeMutablePointer<sqlite3_vfs> {
        let fileByteCount = unsafe max(CInt(MemoryLayout<sealite_file>.size), unix.pointee.szOsFile)
        let vfs = unsafe SealedVFS.make(name, over: unix, fileByteCount: fileByteCount)
        unsafe vfs.pointee.xOpen = unsafe draftOpen
        unsafe vfs.pointee.xDelete = unsafe draftDelete
        unsafe vfs.pointee.xAccess = unsafe draftAccess
        unsafe vfs.pointee.xFullPathname = unsafe unchangedPathname
        return unsafe vfs
    }

    /// The method table of the files. It is never freed.
    // Written before the first use and never again: `let` of a pointer that nobody writes through.
    nonisolated(unsafe) fileprivate static let methods: UnsafeMutablePointer<sqlite3_io_methods> = {
        let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        unsafe methods.initialize(to: sqlite3_io_methods())
        unsafe methods.pointee.iVersion = 2
        unsafe methods.pointee.xClose = unsafe draftClose
        unsafe methods.pointee.xRead = unsafe draftRead
        unsafe methods.pointee.xWrite = unsafe draftWrite
        unsafe methods.pointee.xTruncate = { file, size in unsafe draft(file)?.truncate(to: size) ?? SQLITE_MISUSE }
        unsafe methods.pointee.xSync = { _, _ in SQLITE_OK }
        unsafe methods.pointee.xFileSize = unsafe draftSize
        unsafe methods.pointee.xLock = { _, _ in SQLITE_OK }
        unsafe methods.pointee.xUnlock = { _, _ in SQLITE_OK }
        unsafe methods.pointee.xCheckReservedLock = { _, result in
            unsafe result?.pointee = 0
            return SQLITE_OK
        }
        unsafe methods.pointee.xFileControl = unsafe draftControl
        unsafe methods.pointee.xSectorSize = { _ in 4096 }
        unsafe methods.pointee.xDeviceCharacteristics = { _ in SQLITE_IOCAP_POWERSAFE_OVERWRITE }
        unsafe methods.pointee.xShmMap = unsafe draftShmMap
        unsafe methods.pointee.xShmLock = { _, _, _, _ in SQLITE_OK }
        unsafe methods.pointee.xShmBarrier = { _ in }
        unsafe methods.pointee.xShmUnmap = { file, _ in
            unsafe draft(file)?.unmap()
            return SQLITE_OK
        }
        return unsafe methods
    }()
}

// MARK: - The VFS

private func draftOpen(
    _ vfs: UnsafeMutablePointer<sqlite3_vfs>?, _ name: UnsafePointer<CChar>?,
    _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: CInt, _ outFlags: UnsafeMutablePointer<CInt>?
) -> CInt {
    guard let file = unsafe file else { return SQLITE_MISUSE }
    unsafe file.pointee.pMethods = nil
    guard let name = unsafe name else {
        guard let unix = unsafe vfs?.pointee.pAppData?.assumingMemoryBound(to: sqlite3_vfs.self),
            let open = unsafe unix.pointee.xOpen
        else { return SQLITE_MISUSE }
        return unsafe open(unix, nil, file, flags, outFlags)
    }
    let path = unsafe String(cString: name)
    let isMain = flags & SQLITE_OPEN_MAIN_DB != 0
    guard let descriptor = isMain ? DraftPath.descriptor(of: path) : DraftPath.createSidecar(of: path) else {
        return SQLITE_CANTOPEN
    }
    let object = DraftFile(descriptor, closesDescriptor: !isMain)
    let memory = unsafe UnsafeMutableRawPointer(file).assumingMemoryBound(to: sealite_file.self)
    unsafe memory.pointee.context = Unmanaged.passRetained(object).toOpaque()
    unsafe file.pointee.pMethods = UnsafePointer(DraftVFS.methods)
    unsafe outFlags?.pointee = flags
    return SQLITE_OK
}

/// Deletes nothing: the journal or log of a draft has no name.
private func draftDelete(
    _ vfs: UnsafeMutablePointer<sqlite3_vfs>?, _ name: UnsafePointer<CChar>?, _ syncsFolder: CInt
) -> CInt { SQLITE_OK }

private func draftAccess(
    _ vfs: UnsafeMutablePointer<sqlite3_vfs>?, _ name: UnsafePointer<CChar>?, _ flags: CInt,
    _ result: UnsafeMutablePointer<CInt>?
) -> CInt {
    let exists = unsafe name.map { unsafe DraftPath.descriptor(of: String(cString: $0)) != nil } ?? false
    unsafe result?.pointee = exists ? 1 : 0
    return SQLITE_OK
}

/// Returns the path unchanged, for a VFS whose paths name no file: resolving the symbolic links of a draft's path would lead
/// to the name of a deleted file.
func unchangedPathname(
    _ vfs: UnsafeMutablePointer<sqlite3_vfs>?, _ name: UnsafePointer<CChar>?, _ length: CInt,
    _ result: UnsafeMutablePointer<CChar>?
) -> CInt {
    guard let name = unsafe name, let result = unsafe result, unsafe strlen(name) < length else {
        return SQLITE_CANTOPEN
    }
    unsafe strcpy(result, name)
    return SQLITE_OK
}

// MARK: - Files

private func draft(_ file: UnsafeMutablePointer<sqlite3_file>?) -> DraftFile? {
    guard let file = unsafe file else { return nil }
    let context = unsafe UnsafeMutableRawPointer(file).assumingMemoryBound(to: sealite_file.self).pointee.context
    guard let context = unsafe context else { return nil }
    return unsafe Unmanaged<DraftFile>.fromOpaque(context).takeUnretainedValue()
}

private func draftClose(_ file: UnsafeMutablePointer<sqlite3_file>?) -> CInt {
    guard let file = unsafe file, let object = unsafe draft(file) else { return SQLITE_OK }
    object.close()
    let memory = unsafe UnsafeMutableRawPointer(file).assumingMemoryBound(to: sealite_file.self)
    if let context = unsafe memory.pointee.context { unsafe Unmanaged<DraftFile>.fromOpaque(context).release() }
    unsafe memory.pointee.context = nil
    unsafe file.pointee.pMethods = nil
    return SQLITE_OK
}

private func draftRead(
    _ file: UnsafeMutablePointer<sqlite3_file>?, _ buffer: UnsafeMutableRawPointer?, _ count: CInt,
    _ offset: sqlite3_int64
) -> CInt {
    guard let object = unsafe draft(file), let buffer = unsafe buffer else { return SQLITE_MISUSE }
    return unsafe object.read(into: buffer, Int(count), at: offset)
}

private func draftWrite(
    _ file: UnsafeMutablePointer<sqlite3_file>?, _ buffer: UnsafeRawPointer?, _ count: CInt, _ offset: sqlite3_int64
) -> CInt {
    guard let object = unsafe draft(file), let buffer = unsafe buffer else { return SQLITE_MISUSE }
    return unsafe object.write(buffer, Int(count), at: offset)
}

private func draftSize(
    _ file: UnsafeMutablePointer<sqlite3_file>?, _ size: UnsafeMutablePointer<sqlite3_int64>?
) -> CInt {
    guard let byteCount = unsafe draft(file)?.byteCount else { return SQLITE_IOERR_FSTAT }
    unsafe size?.pointee = byteCount
    return SQLITE_OK
}

private func draftControl(
    _ file: UnsafeMutablePointer<sqlite3_file>?, _ operation: CInt, _ argument: UnsafeMutableRawPointer?
) -> CInt {
    guard operation == SQLITE_FCNTL_HAS_MOVED else { return SQLITE_NOTFOUND }
    unsafe argument?.assumingMemoryBound(to: CInt.self).pointee = 0
    return SQLITE_OK
}

private func draftShmMap(
    _ file: UnsafeMutablePointer<sqlite3_file>?, _ region: CInt, _ size: CInt, _ extend: CInt,
    _ memory: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> CInt {
    guard let object = unsafe draft(file) else { return SQLITE_MISUSE }
    unsafe memory?.pointee = unsafe object.region(Int(region), Int(size), extends: extend != 0)
    return SQLITE_OK
}

/// A draft that SQLite has open, or the journal or log of one, which has no name either.
///
/// Nobody else can open the file, and its connections follow one another, so there are no locks, and the shared memory of
/// a log is ordinary memory. Nothing is synced: `NewFile` syncs the file before it gets its name, and what a power
/// failure leaves has none.
@safe final class DraftFile {
    private let descriptor: CInt
    private let closesDescriptor: Bool
    private var regions: [UnsafeMutableRawPointer] = unsafe []

    /// Creates the object for a descriptor, which is closed with the file if `closesDescriptor` is true.
    init(_ descriptor: CInt, closesDescriptor: Bool) {
        (self.descriptor, self.closesDescriptor) = (descriptor, closesDescriptor)
    }

    func close() {
        unmap()
        if closesDescriptor { Glibc.close(descriptor) }
    }

    func read(into buffer: UnsafeMutableRawPointer, _ byteCount: Int, at offset: Int64) -> CInt {
        assert(byteCount >= 0 && offset >= 0)
        var done = 0
        while done < byteCount {
            let count = unsafe pread(descriptor, buffer + done, byteCount - done, off_t(offset) + done)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return SQLITE_IOERR_READ }
            if count == 0 {
                // SQLite requires the rest of the buffer to be zero.
                unsafe memset(buffer + done, 0, byteCount - done)
                return SQLITE_IOERR_SHORT_READ
            }
            done += count
        }
        return SQLITE_OK
    }

    func write(_ buffer: UnsafeRawPointer, _ byteCount: Int, at offset: Int64) -> CInt {
        assert(byteCount >= 0 && offset >= 0)
        var done = 0
        while done < byteCount {
            let count = unsafe pwrite(descriptor, buffer + done, byteCount - done, off_t(offset) + done)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                return count == 0 || errno == ENOSPC || errno == EDQUOT ? SQLITE_FULL : SQLITE_IOERR_WRITE
            }
            done += count
        }
        return SQLITE_OK
    }

    func truncate(to byteCount: Int64) -> CInt {
        ftruncate(descriptor, off_t(byteCount)) == 0 ? SQLITE_OK : SQLITE_IOERR_TRUNCATE
    }

    /// The size of the file in bytes; nil if the system can't say.
    var byteCount: Int64? {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 ? Int64(status.st_size) : nil
    }

    // MARK: The memory of a log

    /// Returns a region of the log's index, which is created if it doesn't exist and `extends` is true.
    func region(_ number: Int, _ byteCount: Int, extends: Bool) -> UnsafeMutableRawPointer? {
        assert(number >= 0 && byteCount > 0)
        while unsafe extends && regions.count <= number {
            let region = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 16)
            unsafe memset(region, 0, byteCount)
            unsafe regions.append(region)
        }
        return unsafe number < regions.count ? regions[number] : nil
    }

    func unmap() {
        unsafe regions.forEach { unsafe $0.deallocate() }
        unsafe regions = []
    }
}
