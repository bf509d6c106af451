import CSQLite
import Glibc
import Synchronization

// One free function per method of sqlite3_vfs. All except xOpen forward the call to the underlying VFS.
// https://sqlite.org/c3ref/vfs.html

@inline(__always)
private func base(_ vfs: UnsafeMutablePointer<sqlite3_vfs>?) -> UnsafeMutablePointer<sqlite3_vfs>? {
    unsafe vfs?.pointee.pAppData?.assumingMemoryBound(to: sqlite3_vfs.self)
}

func systemOpen(
    _ vfs: UnsafeMutablePointer<sqlite3_vfs>?, _ name: UnsafePointer<CChar>?,
    _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: CInt, _ outFlags: UnsafeMutablePointer<CInt>?
) -> CInt {
    guard let file = unsafe file else { return SQLITE_MISUSE }
    unsafe file.pointee.pMethods = nil
    let memory = UnsafeMutableRawPointer(file)
    let sealed = unsafe memory.assumingMemoryBound(to: sealite_file.self)
    unsafe sealed.pointee.context = nil
    let baseFile = unsafe (memory + baseFileOffset).assumingMemoryBound(to: sqlite3_file.self)
    unsafe baseFile.pointee.pMethods = nil
    var granted = flags
    guard unsafe isNoPipe(name, flags) else { return SQLITE_CANTOPEN }
    guard let base = unsafe base(vfs), let open = unsafe base.pointee.xOpen else { return SQLITE_MISUSE }
    let isNew = unsafe isNewDatabase(name, flags, base)
    if isNew, let name = unsafe name, unsafe !hasKeys(name) { return SQLITE_CANTOPEN }
    // SQLite takes an empty file for one that doesn't exist.
    let isMade = unsafe isNew && name.map { unsafe !FilePermissions.exists(String(cString: $0)) } ?? false
    let code = unsafe open(base, name, baseFile, flags, &granted)
    guard code == SQLITE_OK else {
        unsafe closeIfOpen(baseFile)
        unsafe noteWhy(name, flags)
        return code
    }
    // SQLite would leave the mode to the process's umask. The file is still empty.
    if isNew, let name = unsafe name { unsafe chmod(name, S_IRUSR | S_IWUSR) }
    let request = unsafe OpenRequest(
        name: name, flags: granted, base: BaseFile(baseFile), baseVFS: String(cString: base.pointee.zName),
        creation: isMade ? .made : isNew ? .filled : .none)
    do throws(VFSFailure) {
        let object = try request.makeFile()
        unsafe sealed.pointee.context = Unmanaged.passRetained(object).toOpaque()
        let sharesMemory = object is MainFile && object.base.version >= 2
        unsafe file.pointee.pMethods = sharesMemory ? MethodTables.withSharedMemory : MethodTables.plain
        // The file itself stays writable: hot journals are still rolled back and the log is still checkpointed.
        let isGuarded =
            unsafe object is MainFile && name.map { unsafe GuardedFiles.contains(String(cString: $0)) } == true
        unsafe outFlags?.pointee = isGuarded ? granted & ~SQLITE_OPEN_READWRITE | SQLITE_OPEN_READONLY : granted
        if object is MainFile { FailureLog.forgetFailure(opening: request.path) }
        return SQLITE_OK
    } catch {
        if let detail = error.detail {
            FailureLog.note(detail.about(DraftPath.shown(request.path)), opening: request.path)
        }
        unsafe closeIfOpen(baseFile)
        return error.code
    }
}

/// Returns false if a pipe, or anything else but a regular file, exists in place of a database, log or journal: opening
/// a pipe would block until its other end is opened.
private func isNoPipe(_ name: UnsafePointer<CChar>?, _ flags: CInt) -> Bool {
    let kinds = SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL
    guard flags & kinds != 0, let name = unsafe name else { return true }
    let path = unsafe String(cString: name)
    guard let reason = FilePermissions.reasonNotToWaitFor(path) else { return true }
    FailureLog.note(reason, opening: path)
    return false
}

/// Returns whether an open is about to create a database, as VACUUM INTO and ATTACH do.
private func isNewDatabase(
    _ name: UnsafePointer<CChar>?, _ flags: CInt, _ base: UnsafeMutablePointer<sqlite3_vfs>
) -> Bool {
    let kind = SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_CREATE
    guard flags & kind == kind, let name = unsafe name else { return false }
    var exists: CInt = 0
    let code = unsafe base.pointee.xAccess?(base, name, SQLITE_ACCESS_EXISTS, &exists)
    return code == SQLITE_OK && exists == 0
}

/// Returns whether a new database file can get the master key and key slots of an unlocked database. If none is
/// unlocked, or the choice among several is ambiguous, no file is created: neither a plain nor an empty one.
private func hasKeys(_ name: UnsafePointer<CChar>) -> Bool {
    guard unsafe CreationTemplate.find(name) == nil else { return true }
    let path = unsafe String(cString: name)
    FailureLog.note(unsafe CreationTemplate.reasonForNone(name, path), opening: path)
    return false
}

/// Records why the base VFS couldn't open a file, since SQLite reports only that it couldn't.
private func noteWhy(_ name: UnsafePointer<CChar>?, _ flags: CInt) {
    guard let name = unsafe name else { return }
    let path = unsafe String(cString: name)
    switch flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL) {
    case SQLITE_OPEN_MAIN_DB:
        guard let reason = FilePermissions.reasonNotToOpen(path) else { return }
        FailureLog.note(reason, opening: path)
    case SQLITE_OPEN_WAL: unsafe LiveFiles.database(ofWAL: name)?.noteWhyNotMade(path)
    case SQLITE_OPEN_MAIN_JOURNAL: unsafe LiveFiles.database(ofJournal: name)?.noteWhyNotMade(path)
    default: break
    }
}

private func closeIfOpen(_ baseFile: UnsafeMutablePointer<sqlite3_file>) {
    guard unsafe baseFile.pointee.pMethods != nil else { return }
    unsafe BaseFile(baseFile).close()
}

func systemDelete(_ vfs: UnsafeMutablePointer<sqlite3_vfs>?, _ name: UnsafePointer<CChar>?, _ syncDir: CInt) -> CInt {
    guard let base = unsafe base(vfs), let call = unsafe base.pointee.xDelete else { return SQLITE_IOERR_DELETE }
    return unsafe call(base, name, syncDir)
}

func systemAccess(
    _ vfs: UnsafeMutablePointer<sqlite3_vfs>?, _ name: UnsafePointer<CChar>?, _ flags: CInt,
    _ result: UnsafeMutablePointer<CInt>?
) -> CInt {
    guard let base = unsafe base(vfs), let call = unsafe base.pointee.xAccess else { return SQLITE_IOERR_ACCESS }
    return unsafe call(base, name, flags, result)
}

func systemFullPathname(
    _ vfs: UnsafeMutablePointer<sqlite3_vfs>?, _ name: UnsafePointer<CChar>?, _ length: CInt,
    _ result: UnsafeMutablePointer<CChar>?
) -> CInt {
    guard let base = unsafe base(vfs), let call = unsafe base.pointee.xFullPathname else { return SQLITE_CANTOPEN }
    return unsafe call(base, name, length, result)
}

func systemDlOpen(
    _ vfs: UnsafeMutablePointer<sqlite3_vfs>?, _ name: UnsafePointer<CChar>?
) -> UnsafeMutableRawPointer? {
    guard let base = unsafe base(vfs), let call = unsafe base.pointee.xDlOpen else { return nil }
    return unsafe call(base, name)
}

func systemDlError(
    _ vfs: UnsafeMutablePointer<sqlite3_vfs>?, _ length: CInt, _ message: UnsafeMutablePointer<CChar>?
) {
    guard let base = unsafe base(vfs), let call = unsafe base.pointee.xDlError else { return }
    unsafe call(base, length, message)
}

func systemDlSym(
    _ vfs: UnsafeMutablePointer<sqlite3_vfs>?, _ library: UnsafeMutableRawPointer?, _ symbol: UnsafePointer<CChar>?
) -> (@convention(c) () -> Void)? {
    guard let base = unsafe base(vfs), let call = unsafe base.pointee.xDlSym else { return nil }
    return unsafe call(base, library, symbol)
}

func systemDlClose(_ vfs: UnsafeMutablePointer<sqlite3_vfs>?, _ library: UnsafeMutableRawPointer?) {
    guard let base = unsafe base(vfs), let call = unsafe base.pointee.xDlClose else { return }
    unsafe call(base, library)
}

func systemRandomness(
    _ vfs: UnsafeMutablePointer<sqlite3_vfs>?, _ count: CInt, _ bytes: UnsafeMutablePointer<CChar>?
) -> CInt {
    guard let base = unsafe base(vfs), let call = unsafe base.pointee.xRandomness else { return 0 }
    return unsafe call(base, count, bytes)
}

func systemSleep(_ vfs: UnsafeMutablePointer<sqlite3_vfs>?, _ microseconds: CInt) -> CInt {
    guard let base = unsafe base(vfs), let call = unsafe base.pointee.xSleep else { return 0 }
    return unsafe call(base, microseconds)
}

func systemCurrentTime(_ vfs: UnsafeMutablePointer<sqlite3_vfs>?, _ time: UnsafeMutablePointer<Double>?) -> CInt {
    guard let base = unsafe base(vfs), let call = unsafe base.pointee.xCurrentTime else { return SQLITE_ERROR }
    return unsafe call(base, time)
}

func systemGetLastError(
    _ vfs: UnsafeMutablePointer<sqlite3_vfs>?, _ length: CInt, _ message: UnsafeMutablePointer<CChar>?
) -> CInt {
    guard let base = unsafe base(vfs), let call = unsafe base.pointee.xGetLastError else { return 0 }
    return unsafe call(base, length, message)
}

func systemCurrentTimeInt64(
    _ vfs: UnsafeMutablePointer<sqlite3_vfs>?, _ time: UnsafeMutablePointer<sqlite3_int64>?
) -> CInt {
    guard let base = unsafe base(vfs), let call = unsafe base.pointee.xCurrentTimeInt64 else { return SQLITE_ERROR }
    return unsafe call(base, time)
}

/// The files that this process opens read-only even if SQLite requests write access.
///
/// `ATTACH` in a script can name any file whose key this process holds by any of its paths, and request write access. A
/// file is therefore guarded by its device and inode instead of its path, in every connection that is opened after
/// `add(_:)`.
package enum GuardedFiles {
    private struct Identity: Hashable {
        let device: UInt
        let inode: UInt
    }

    private static let guarded = Mutex<Set<Identity>>([])

    /// Makes every connection that is opened from now on open the file at a path read-only, until the process ends.
    ///
    /// - Throws: `SealedFileError` if the file doesn't exist or can't be examined.
    package static func add(_ path: String) throws(SealedFileError) {
        guard let identity = identity(of: path) else { throw SealedFileError(errno: errno, doing: "looking at", path) }
        guarded.withLock { _ = $0.insert(identity) }
    }

    /// Returns whether new connections open the file at a path read-only because of `add(_:)`; false if the file can't
    /// be examined.
    package static func contains(_ path: String) -> Bool {
        guarded.withLock { guarded in !guarded.isEmpty && identity(of: path).map { guarded.contains($0) } ?? false }
    }

    private static func identity(of path: String) -> Identity? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        return Identity(device: UInt(status.st_dev), inode: UInt(status.st_ino))
    }
}
