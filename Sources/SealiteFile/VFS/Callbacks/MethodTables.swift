import CSQLite

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
        unsafe methods.initialize(to: sqlite3_io_methods())
        unsafe methods.pointee.iVersion = version
        unsafe methods.pointee.xClose = unsafe fileClose
        unsafe methods.pointee.xRead = unsafe fileRead
        unsafe methods.pointee.xWrite = unsafe fileWrite
        unsafe methods.pointee.xTruncate = unsafe fileTruncate
        unsafe methods.pointee.xSync = unsafe fileSync
        unsafe methods.pointee.xFileSize = unsafe fileSize
        unsafe methods.pointee.xLock = unsafe fileLock
        unsafe methods.pointee.xUnlock = unsafe fileUnlock
        unsafe methods.pointee.xCheckReservedLock = unsafe fileCheckReservedLock
        unsafe methods.pointee.xFileControl = unsafe fileControl
        unsafe methods.pointee.xSectorSize = unsafe fileSectorSize
        unsafe methods.pointee.xDeviceCharacteristics = unsafe fileDeviceCharacteristics
        unsafe methods.pointee.xShmMap = unsafe fileShmMap
        unsafe methods.pointee.xShmLock = unsafe fileShmLock
        unsafe methods.pointee.xShmBarrier = unsafe fileShmBarrier
        unsafe methods.pointee.xShmUnmap = unsafe fileShmUnmap
        return unsafe methods
    }
}
