internal import CTestVFS
internal import Foundation

/// A file system registered with SQLite under a name, with a `Tap` on everything that passes.
///
/// Unregistered when released: keep it while connections that use it are open.
@safe
// Sendable because all its properties are constants and SQLite only reads the structure they point to.
package final class TestVFS: @unchecked Sendable {
    package let name: String
    package let tap = Tap()
    let fileSystem: any FileSystem
    private let vfs: UnsafeMutablePointer<sqlite3_vfs>

    /// Registers a VFS that stands on the registered VFS `base`, say "unix".
    package convenience init(name: String, over base: String) throws {
        try self.init(name: name, fileSystem: StackedFileSystem(base: base))
    }

    /// Registers a VFS that stands on a disk in memory.
    package convenience init(name: String, disk: MemoryDisk) throws {
        try self.init(name: name, fileSystem: disk)
    }

    private init(name: String, fileSystem: any FileSystem) throws {
        guard let system = unsafe sqlite3_vfs_find(nil) else { throw ResultCode.notFound }
        self.name = name
        self.fileSystem = fileSystem
        unsafe vfs = .allocate(capacity: 1)
        // Time, randomness and sleep come from the system's VFS, whose functions don't look at the structure they get.
        unsafe vfs.initialize(to: system.pointee)
        unsafe vfs.pointee.iVersion = 2
        unsafe vfs.pointee.szOsFile = CInt(MemoryLayout<ctestvfs_file>.size)
        unsafe vfs.pointee.pNext = nil
        unsafe vfs.pointee.zName = UnsafePointer(strdup(name))
        unsafe vfs.pointee.pAppData = Unmanaged.passUnretained(self).toOpaque()
        unsafe vfs.pointee.xOpen = vfsOpen
        unsafe vfs.pointee.xDelete = vfsDelete
        unsafe vfs.pointee.xAccess = vfsAccess
        unsafe vfs.pointee.xFullPathname = vfsFullPathname
        try unsafe ResultCode.check(sqlite3_vfs_register(vfs, 0))
    }

    deinit {
        unsafe sqlite3_vfs_unregister(vfs)
        unsafe free(UnsafeMutablePointer(mutating: vfs.pointee.zName))
        unsafe vfs.deallocate()
    }

    func open(_ name: UnsafePointer<CChar>?, flags: inout CInt) throws(ResultCode) -> TappedFile {
        let kind = FileKind(flags: flags)
        let path = unsafe name.map { unsafe String(cString: $0) }
        try tap.pass(.open, kind, path)
        return TappedFile(file: try unsafe fileSystem.open(name, flags: &flags), kind: kind, path: path, tap: tap)
    }

    func delete(_ path: String, syncsFolder: Bool) throws(ResultCode) {
        try tap.pass(.delete, FileKind(path: path), path)
        try fileSystem.delete(path, syncsFolder: syncsFolder)
    }

    func access(_ path: String, flags: CInt) throws(ResultCode) -> Bool {
        try tap.pass(.access, FileKind(path: path), path)
        return try fileSystem.access(path, flags: flags)
    }
}
