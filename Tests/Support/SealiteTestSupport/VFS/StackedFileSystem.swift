internal import CTestVFS

/// The files of another VFS, passed through unchanged.
@safe
// Sendable because the one property is a constant, and SQLite asks of every VFS that threads may share it.
final class StackedFileSystem: FileSystem, @unchecked Sendable {
    private let base: UnsafeMutablePointer<sqlite3_vfs>

    init(base name: String) throws(ResultCode) {
        guard let base = unsafe sqlite3_vfs_find(name) else { throw .notFound }
        unsafe self.base = unsafe base
    }

    func open(_ name: UnsafePointer<CChar>?, flags: inout CInt) throws(ResultCode) -> any OpenFile {
        try unsafe StackedFile(base: base, name: name, flags: &flags)
    }

    func delete(_ path: String, syncsFolder: Bool) throws(ResultCode) {
        try unsafe ResultCode.check(base.pointee.xDelete(base, path, syncsFolder ? 1 : 0))
    }

    func access(_ path: String, flags: CInt) throws(ResultCode) -> Bool {
        var answer: CInt = 0
        try unsafe ResultCode.check(base.pointee.xAccess(base, path, flags, &answer))
        return answer != 0
    }

    func fullPath(_ path: String) throws(ResultCode) -> String {
        var buffer = unsafe [CChar](repeating: 0, count: Int(base.pointee.mxPathname) + 1)
        try unsafe ResultCode.check(base.pointee.xFullPathname(base, path, CInt(buffer.count), &buffer))
        return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

/// One open file of the VFS below.
@safe
private final class StackedFile: OpenFile {
    private let file: FilePointer
    private let methods: sqlite3_io_methods

    init(base: UnsafeMutablePointer<sqlite3_vfs>, name: UnsafePointer<CChar>?, flags: inout CInt) throws(ResultCode) {
        let size = unsafe Int(base.pointee.szOsFile)
        let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
        unsafe memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        let file = unsafe memory.assumingMemoryBound(to: sqlite3_file.self)
        let code = unsafe base.pointee.xOpen(base, name, file, flags, &flags)
        guard code == SQLITE_OK, let methods = unsafe file.pointee.pMethods else {
            // A VFS that sets the methods and fails wants to be closed all the same.
            _ = unsafe file.pointee.pMethods?.pointee.xClose(file)
            unsafe memory.deallocate()
            throw ResultCode(rawValue: code)
        }
        unsafe self.file = unsafe file
        self.methods = unsafe methods.pointee
    }

    func close() throws(ResultCode) {
        let code = unsafe methods.xClose(file)
        unsafe UnsafeMutableRawPointer(file).deallocate()
        try ResultCode.check(code)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(ResultCode) {
        try unsafe ResultCode.check(methods.xRead(file, buffer.baseAddress, CInt(buffer.count), offset))
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(ResultCode) {
        try unsafe ResultCode.check(methods.xWrite(file, bytes.baseAddress, CInt(bytes.count), offset))
    }

    func truncate(to size: Int64) throws(ResultCode) {
        try unsafe ResultCode.check(methods.xTruncate(file, size))
    }

    func sync(_ flags: CInt) throws(ResultCode) {
        try unsafe ResultCode.check(methods.xSync(file, flags))
    }

    func size() throws(ResultCode) -> Int64 {
        var size: Int64 = 0
        try unsafe ResultCode.check(methods.xFileSize(file, &size))
        return size
    }

    func lock(_ level: CInt) throws(ResultCode) {
        try unsafe ResultCode.check(methods.xLock(file, level))
    }

    func unlock(_ level: CInt) throws(ResultCode) {
        try unsafe ResultCode.check(methods.xUnlock(file, level))
    }

    func hasReservedLock() throws(ResultCode) -> Bool {
        var answer: CInt = 0
        try unsafe ResultCode.check(methods.xCheckReservedLock(file, &answer))
        return answer != 0
    }

    func control(_ operation: CInt, _ argument: UnsafeMutableRawPointer?) throws(ResultCode) {
        try unsafe ResultCode.check(methods.xFileControl(file, operation, argument))
    }

    var sectorSize: CInt { unsafe methods.xSectorSize(file) }
    var characteristics: CInt { unsafe methods.xDeviceCharacteristics(file) }

    func mapSharedMemory(_ region: Int, size: Int, extends: Bool) throws(ResultCode) -> UnsafeMutableRawPointer? {
        var memory: UnsafeMutableRawPointer?
        try unsafe ResultCode.check(methods.xShmMap(file, CInt(region), CInt(size), extends ? 1 : 0, &memory))
        return unsafe memory
    }

    func lockSharedMemory(_ slots: Range<Int>, flags: CInt) throws(ResultCode) {
        try unsafe ResultCode.check(methods.xShmLock(file, CInt(slots.lowerBound), CInt(slots.count), flags))
    }

    func sharedMemoryBarrier() {
        unsafe methods.xShmBarrier(file)
    }

    func unmapSharedMemory(deletes: Bool) throws(ResultCode) {
        try unsafe ResultCode.check(methods.xShmUnmap(file, deletes ? 1 : 0))
    }
}
