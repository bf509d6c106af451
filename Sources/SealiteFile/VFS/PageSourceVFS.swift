import CSQLite
import Glibc
import Synchronization

/// The pages of a database that isn't a file as SQLite knows it, such as one that another program encrypted.
package protocol PageSource: AnyObject {
    /// The size of a page in bytes, a power of two from 512 to 65536.
    var pageSize: Int { get }
    /// The number of pages.
    var pageCount: UInt32 { get }
    /// Writes the content of the page with a number, from 1, to a buffer of the size of a page.
    ///
    /// - Throws: the reason, which SQLite's error is replaced by (`PageSourceVFS.Registration.failure`).
    func read(_ number: UInt32, into buffer: UnsafeMutableRawBufferPointer) throws(SealedFileError)
}

/// The VFS through which SQLite reads the pages of a source as a database that nobody changes: without locks, journal or
/// log, and read-only. https://sqlite.org/c3ref/vfs.html
package enum PageSourceVFS {
    private static let name = "sealite-pages"
    private static let prefix = "/sealite-pages/"
    private static let isRegistered = Mutex(false)
    // Each registration is used by one thread at a time, the one that uses its connection.
    private static let registrations = Mutex<[String: Weak]>([:])
    private static let count = Atomic<Int>(0)

    private struct Weak: Sendable { weak let registration: Registration? }

    /// A source that SQLite can open until the value is released.
    // Sendable: the source and the failure are used by one thread at a time, the one that uses the connection.
    package final class Registration: @unchecked Sendable {
        fileprivate let source: any PageSource
        private let path: String
        /// The reason of the last failure to read a page.
        package fileprivate(set) var failure: SealedFileError?
        /// The URI by which SQLite opens the source, read-only.
        package var uri: String { "file:\(path)?vfs=\(PageSourceVFS.name)&mode=ro" }

        /// Registers a source, and the VFS if it isn't registered.
        package init(_ source: any PageSource) throws(SealedFileError) {
            try PageSourceVFS.register()
            self.source = source
            path = prefix + String(count.add(1, ordering: .relaxed).newValue)
            registrations.withLock { [path] in $0[path] = Weak(registration: self) }
        }

        deinit { registrations.withLock { [path] in $0[path] = nil } }

        /// Reads bytes as SQLite asks for them: a page, or a part of one.
        fileprivate func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> CInt {
            let size = Int64(source.pageSize)
            guard offset >= 0, offset / size < Int64(source.pageCount) else {
                unsafe buffer.initializeMemory(as: UInt8.self, repeating: 0)
                return SQLITE_IOERR_SHORT_READ
            }
            let number = UInt32(offset / size) + 1
            do throws(SealedFileError) {
                if buffer.count == source.pageSize, offset % size == 0 {
                    try unsafe source.read(number, into: buffer)
                    return SQLITE_OK
                }
                let start = Int(offset % size)
                guard start + buffer.count <= source.pageSize else { return SQLITE_IOERR_READ }
                let page = UnsafeMutableRawBufferPointer.allocate(byteCount: source.pageSize, alignment: 16)
                defer { unsafe page.deallocate() }
                try unsafe source.read(number, into: page)
                unsafe buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: page[start..<start + buffer.count]))
                return SQLITE_OK
            } catch {
                failure = error
                return SQLITE_IOERR_DATA
            }
        }
    }

    fileprivate static func registration(_ path: String) -> Registration? {
        registrations.withLock { $0[path]?.registration }
    }

    private static func register() throws(SealedFileError) {
        try isRegistered.withLock { (isRegistered) throws(SealedFileError) in
            guard !isRegistered else { return }
            guard let unix = unsafe sqlite3_vfs_find("unix") else {
                throw SealedFileError(.invalidArgument, "SQLite has no VFS named \"unix\"")
            }
            let fileByteCount = unsafe max(CInt(MemoryLayout<sealite_file>.size), unix.pointee.szOsFile)
            let vfs = unsafe SealedVFS.make(name, over: unix, fileByteCount: fileByteCount)
            unsafe vfs.pointee.xOpen = unsafe sourceOpen
            unsafe vfs.pointee.xDelete = { _, _, _ in SQLITE_READONLY }
            unsafe vfs.pointee.xAccess = unsafe sourceAccess
            unsafe vfs.pointee.xFullPathname = unsafe unchangedPathname
            let code = unsafe sqlite3_vfs_register(vfs, 0)
            guard code == SQLITE_OK else {
                throw SealedFileError(sqlite: code, doing: "registering the VFS \"\(name)\" with SQLite")
            }
            isRegistered = true
        }
    }

    /// The method table of the files. It is never freed.
    // Written before the first use and never again: `let` of a pointer that nobody writes through.
    nonisolated(unsafe) fileprivate static let methods: UnsafeMutablePointer<sqlite3_io_methods> = {
        let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        unsafe methods.initialize(to: sqlite3_io_methods())
        unsafe methods.pointee.iVersion = 1
        unsafe methods.pointee.xClose = unsafe sourceClose
        unsafe methods.pointee.xRead = unsafe sourceRead
        unsafe methods.pointee.xWrite = { _, _, _, _ in SQLITE_READONLY }
        unsafe methods.pointee.xTruncate = { _, _ in SQLITE_READONLY }
        unsafe methods.pointee.xSync = { _, _ in SQLITE_OK }
        unsafe methods.pointee.xFileSize = unsafe sourceSize
        unsafe methods.pointee.xLock = { _, _ in SQLITE_OK }
        unsafe methods.pointee.xUnlock = { _, _ in SQLITE_OK }
        unsafe methods.pointee.xCheckReservedLock = { _, result in
            unsafe result?.pointee = 0
            return SQLITE_OK
        }
        unsafe methods.pointee.xFileControl = { _, _, _ in SQLITE_NOTFOUND }
        unsafe methods.pointee.xSectorSize = { _ in 4096 }
        unsafe methods.pointee.xDeviceCharacteristics = { _ in SQLITE_IOCAP_IMMUTABLE }
        return unsafe methods
    }()
}

private func sourceOpen(
    _ vfs: UnsafeMutablePointer<sqlite3_vfs>?, _ name: UnsafePointer<CChar>?,
    _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: CInt, _ outFlags: UnsafeMutablePointer<CInt>?
) -> CInt {
    guard let file = unsafe file else { return SQLITE_MISUSE }
    unsafe file.pointee.pMethods = nil
    guard flags & SQLITE_OPEN_MAIN_DB != 0, let name = unsafe name,
        let registration = unsafe PageSourceVFS.registration(String(cString: name))
    else { return SQLITE_CANTOPEN }
    let memory = unsafe UnsafeMutableRawPointer(file).assumingMemoryBound(to: sealite_file.self)
    unsafe memory.pointee.context = Unmanaged.passRetained(registration).toOpaque()
    unsafe file.pointee.pMethods = UnsafePointer(PageSourceVFS.methods)
    unsafe outFlags?.pointee = flags & ~SQLITE_OPEN_READWRITE | SQLITE_OPEN_READONLY
    return SQLITE_OK
}

private func sourceAccess(
    _ vfs: UnsafeMutablePointer<sqlite3_vfs>?, _ name: UnsafePointer<CChar>?, _ flags: CInt,
    _ result: UnsafeMutablePointer<CInt>?
) -> CInt {
    unsafe result?.pointee = 0
    return SQLITE_OK
}

private func source(_ file: UnsafeMutablePointer<sqlite3_file>?) -> PageSourceVFS.Registration? {
    guard let file = unsafe file else { return nil }
    let context = unsafe UnsafeMutableRawPointer(file).assumingMemoryBound(to: sealite_file.self).pointee.context
    guard let context = unsafe context else { return nil }
    return unsafe Unmanaged<PageSourceVFS.Registration>.fromOpaque(context).takeUnretainedValue()
}

private func sourceClose(_ file: UnsafeMutablePointer<sqlite3_file>?) -> CInt {
    guard let file = unsafe file else { return SQLITE_OK }
    let memory = unsafe UnsafeMutableRawPointer(file).assumingMemoryBound(to: sealite_file.self)
    if let context = unsafe memory.pointee.context {
        unsafe Unmanaged<PageSourceVFS.Registration>.fromOpaque(context).release()
    }
    unsafe memory.pointee.context = nil
    unsafe file.pointee.pMethods = nil
    return SQLITE_OK
}

private func sourceRead(
    _ file: UnsafeMutablePointer<sqlite3_file>?, _ buffer: UnsafeMutableRawPointer?, _ count: CInt,
    _ offset: sqlite3_int64
) -> CInt {
    guard let registration = unsafe source(file), let buffer = unsafe buffer else { return SQLITE_MISUSE }
    return unsafe registration.read(UnsafeMutableRawBufferPointer(start: buffer, count: Int(count)), at: offset)
}

private func sourceSize(
    _ file: UnsafeMutablePointer<sqlite3_file>?, _ size: UnsafeMutablePointer<sqlite3_int64>?
) -> CInt {
    guard let source = unsafe source(file)?.source else { return SQLITE_MISUSE }
    unsafe size?.pointee = Int64(source.pageCount) * Int64(source.pageSize)
    return SQLITE_OK
}
