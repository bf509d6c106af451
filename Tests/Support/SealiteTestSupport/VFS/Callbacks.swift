// One free function per method of `sqlite3_vfs` and `sqlite3_io_methods`, without logic of their own.
internal import CTestVFS

typealias FilePointer = UnsafeMutablePointer<sqlite3_file>

// MARK: - sqlite3_vfs

private func testVFS(_ vfs: UnsafeMutablePointer<sqlite3_vfs>?) -> TestVFS? {
    unsafe vfs?.pointee.pAppData.map { unsafe Unmanaged<TestVFS>.fromOpaque($0).takeUnretainedValue() }
}

private func result(_ body: () throws(ResultCode) -> Void) -> CInt {
    do {
        try body()
        return SQLITE_OK
    } catch {
        return error.rawValue
    }
}

func vfsOpen(
    _ vfs: UnsafeMutablePointer<sqlite3_vfs>?, _ name: UnsafePointer<CChar>?, _ file: FilePointer?, _ flags: CInt,
    _ outFlags: UnsafeMutablePointer<CInt>?
) -> CInt {
    guard let file = unsafe file, let testVFS = unsafe testVFS(vfs) else { return SQLITE_MISUSE }
    unsafe file.pointee.pMethods = nil
    return result { () throws(ResultCode) in
        var granted = flags
        let object = try unsafe testVFS.open(name, flags: &granted)
        unsafe UnsafeMutableRawPointer(file).assumingMemoryBound(to: ctestvfs_file.self).pointee.object =
            Unmanaged.passRetained(object).toOpaque()
        unsafe file.pointee.pMethods = UnsafePointer(ioMethods)
        unsafe outFlags?.pointee = granted
    }
}

func vfsDelete(_ vfs: UnsafeMutablePointer<sqlite3_vfs>?, _ path: UnsafePointer<CChar>?, _ syncs: CInt) -> CInt {
    guard let path = unsafe path, let testVFS = unsafe testVFS(vfs) else { return SQLITE_MISUSE }
    return result { () throws(ResultCode) in
        try unsafe testVFS.delete(String(cString: path), syncsFolder: syncs & 1 != 0)
    }
}

func vfsAccess(
    _ vfs: UnsafeMutablePointer<sqlite3_vfs>?, _ path: UnsafePointer<CChar>?, _ flags: CInt,
    _ answer: UnsafeMutablePointer<CInt>?
) -> CInt {
    guard let path = unsafe path, let testVFS = unsafe testVFS(vfs) else { return SQLITE_MISUSE }
    return result { () throws(ResultCode) in
        unsafe answer?.pointee = try testVFS.access(String(cString: path), flags: flags) ? 1 : 0
    }
}

func vfsFullPathname(
    _ vfs: UnsafeMutablePointer<sqlite3_vfs>?, _ path: UnsafePointer<CChar>?, _ capacity: CInt,
    _ out: UnsafeMutablePointer<CChar>?
) -> CInt {
    guard let path = unsafe path, let out = unsafe out, let testVFS = unsafe testVFS(vfs) else { return SQLITE_MISUSE }
    return result { () throws(ResultCode) in
        let full = try unsafe Array(testVFS.fileSystem.fullPath(String(cString: path)).utf8CString)
        guard full.count <= Int(capacity) else { throw .cannotOpen }
        unsafe out.update(from: full, count: full.count)
    }
}

// MARK: - sqlite3_io_methods

// Filled once, before any file is open, and never changed or freed.
nonisolated(unsafe) let ioMethods: UnsafeMutablePointer<sqlite3_io_methods> = {
    let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    unsafe methods.initialize(to: sqlite3_io_methods())
    // Version 3 for xUnfetch alone, which a checkpoint calls: nothing is mapped past the file system.
    unsafe methods.pointee.iVersion = 3
    unsafe methods.pointee.xFetch = { _, _, _, page in
        unsafe page?.pointee = nil
        return SQLITE_OK
    }
    unsafe methods.pointee.xUnfetch = { file, _, _ in
        unsafe object(file)?.unfetch()
        return SQLITE_OK
    }
    unsafe methods.pointee.xClose = ioClose
    unsafe methods.pointee.xRead = ioRead
    unsafe methods.pointee.xWrite = ioWrite
    unsafe methods.pointee.xTruncate = { file, size in
        unsafe with(file) { open throws(ResultCode) in try open.truncate(to: size) }
    }
    unsafe methods.pointee.xSync = { file, flags in
        unsafe with(file) { open throws(ResultCode) in try open.sync(flags) }
    }
    unsafe methods.pointee.xFileSize = ioFileSize
    unsafe methods.pointee.xLock = { file, level in
        unsafe with(file) { open throws(ResultCode) in try open.file.lock(level) }
    }
    unsafe methods.pointee.xUnlock = { file, level in
        unsafe with(file) { open throws(ResultCode) in try open.file.unlock(level) }
    }
    unsafe methods.pointee.xCheckReservedLock = ioCheckReservedLock
    unsafe methods.pointee.xFileControl = { file, operation, argument in
        unsafe with(file) { open throws(ResultCode) in try unsafe open.file.control(operation, argument) }
    }
    unsafe methods.pointee.xSectorSize = { file in unsafe object(file)?.file.sectorSize ?? 0 }
    unsafe methods.pointee.xDeviceCharacteristics = { file in unsafe object(file)?.file.characteristics ?? 0 }
    unsafe methods.pointee.xShmMap = ioShmMap
    unsafe methods.pointee.xShmLock = { file, offset, count, flags in
        unsafe with(file) { open throws(ResultCode) in
            try open.file.lockSharedMemory(Int(offset)..<Int(offset + count), flags: flags)
        }
    }
    unsafe methods.pointee.xShmBarrier = { file in unsafe object(file)?.file.sharedMemoryBarrier() }
    unsafe methods.pointee.xShmUnmap = { file, deletes in
        unsafe with(file) { open throws(ResultCode) in try open.file.unmapSharedMemory(deletes: deletes != 0) }
    }
    return unsafe methods
}()

private func object(_ file: FilePointer?) -> TappedFile? {
    unsafe file.flatMap {
        unsafe UnsafeMutableRawPointer($0).assumingMemoryBound(to: ctestvfs_file.self).pointee.object
    }
    .map { unsafe Unmanaged<TappedFile>.fromOpaque($0).takeUnretainedValue() }
}

private func with(_ file: FilePointer?, _ body: (TappedFile) throws(ResultCode) -> Void) -> CInt {
    guard let object = unsafe object(file) else { return SQLITE_MISUSE }
    return result { () throws(ResultCode) in try body(object) }
}

private func ioClose(_ file: FilePointer?) -> CInt {
    guard let file = unsafe file, let object = unsafe object(file) else { return SQLITE_OK }
    unsafe file.pointee.pMethods = nil
    unsafe UnsafeMutableRawPointer(file).assumingMemoryBound(to: ctestvfs_file.self).pointee.object = nil
    defer { unsafe Unmanaged.passUnretained(object).release() }
    return result { () throws(ResultCode) in try object.file.close() }
}

private func ioRead(_ file: FilePointer?, _ out: UnsafeMutableRawPointer?, _ count: CInt, _ offset: Int64) -> CInt {
    unsafe with(file) { open throws(ResultCode) in
        try unsafe open.read(into: UnsafeMutableRawBufferPointer(start: out, count: Int(count)), at: offset)
    }
}

private func ioWrite(_ file: FilePointer?, _ data: UnsafeRawPointer?, _ count: CInt, _ offset: Int64) -> CInt {
    unsafe with(file) { open throws(ResultCode) in
        try unsafe open.write(UnsafeRawBufferPointer(start: data, count: Int(count)), at: offset)
    }
}

private func ioFileSize(_ file: FilePointer?, _ size: UnsafeMutablePointer<Int64>?) -> CInt {
    unsafe with(file) { open throws(ResultCode) in unsafe size?.pointee = try open.size() }
}

private func ioCheckReservedLock(_ file: FilePointer?, _ answer: UnsafeMutablePointer<CInt>?) -> CInt {
    unsafe with(file) { open throws(ResultCode) in unsafe answer?.pointee = try open.file.hasReservedLock() ? 1 : 0 }
}

private func ioShmMap(
    _ file: FilePointer?, _ region: CInt, _ size: CInt, _ extends: CInt,
    _ memory: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> CInt {
    unsafe with(file) { open throws(ResultCode) in
        unsafe memory?.pointee = try open.file.mapSharedMemory(Int(region), size: Int(size), extends: extends != 0)
    }
}
