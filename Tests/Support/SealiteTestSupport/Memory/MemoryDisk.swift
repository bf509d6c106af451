internal import CTestVFS
internal import Foundation

/// A disk in memory: files with SQLite's locks and shared memory for several connections of one process, and a log
/// of all that a power loss could undo.
///
/// It behaves as the unix VFS does: same device characteristics, same syncs of the folder, same answers about empty
/// files. A sync of a file also makes its own name durable, as Linux file systems do and SQLite expects.
// Sendable because `lock` guards every mutable property, and those of the files.
package final class MemoryDisk: FileSystem, @unchecked Sendable {
    /// A file, named or not.
    final class Inode {
        let number: Int
        var bytes: [UInt8]
        var locks = FileLocks()
        var sharedMemory = SharedMemory()

        init(number: Int, bytes: [UInt8]) {
            self.number = number
            self.bytes = bytes
        }
    }

    private let lock = NSLock()
    private var names: [String: Inode] = [:]
    private var lastNumber = 0
    private var log: [DiskEvent] = []

    /// The most bytes that a file can have: past it the disk is full. Hostile content can name any place in a file.
    let fileByteLimit: Int

    package init(fileByteLimit: Int = 1 << 30) { self.fileByteLimit = fileByteLimit }

    /// The content of the disk after all writes.
    package var image: DiskImage {
        locked {
            var image = DiskImage()
            for (path, inode) in names {
                image.names[path] = inode.number
                image.contents[inode.number] = inode.bytes
            }
            return image
        }
    }

    /// Replaces all files and empties the log. Files still open go on with the contents they had, on no disk.
    package func load(_ image: DiskImage) {
        locked {
            var inodes: [Int: Inode] = [:]
            for (number, bytes) in image.contents { inodes[number] = Inode(number: number, bytes: bytes) }
            names = image.names.compactMapValues { inodes[$0] }
            lastNumber = max(lastNumber, image.contents.keys.max() ?? 0)
            log = []
        }
    }

    /// The changes since `load`.
    var events: [DiskEvent] { locked { log } }

    /// The number of changes since `load`.
    var eventCount: Int { locked { log.count } }

    func locked<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body()
    }

    /// Notes a change. Call with the lock held.
    func note(_ event: DiskEvent) {
        log.append(event)
    }

    // MARK: - FileSystem

    func open(_ name: UnsafePointer<CChar>?, flags: inout CInt) throws(ResultCode) -> any OpenFile {
        let path = unsafe name.map { unsafe String(cString: $0) }
        let wanted = flags
        return try locked { () throws(ResultCode) in
            guard let path, wanted & SQLITE_OPEN_DELETEONCLOSE == 0 else {
                return MemoryFile(disk: self, inode: makeInode(), isNamed: false, syncsFolder: nil)
            }
            if let inode = names[path] {
                guard wanted & SQLITE_OPEN_EXCLUSIVE == 0 else { throw .cannotOpen }
                return MemoryFile(disk: self, inode: inode, isNamed: true, syncsFolder: nil)
            }
            guard wanted & SQLITE_OPEN_CREATE != 0 else { throw .cannotOpen }
            let inode = makeInode()
            names[path] = inode
            note(.link(path: path, file: inode.number))
            let syncsFolder = FileKind(flags: wanted).syncsFolderWhenNew
            return MemoryFile(disk: self, inode: inode, isNamed: true, syncsFolder: syncsFolder ? path.folder : nil)
        }
    }

    private func makeInode() -> Inode {
        lastNumber += 1
        return Inode(number: lastNumber, bytes: [])
    }

    func delete(_ path: String, syncsFolder: Bool) throws(ResultCode) {
        try locked { () throws(ResultCode) in
            guard names.removeValue(forKey: path) != nil else { throw .nothingToDelete }
            note(.unlink(path: path))
            if syncsFolder { note(.syncFolder(path.folder)) }
        }
    }

    func access(_ path: String, flags: CInt) throws(ResultCode) -> Bool {
        locked {
            guard let inode = names[path] else { return false }
            return flags != SQLITE_ACCESS_EXISTS || !inode.bytes.isEmpty
        }
    }

    func fullPath(_ path: String) throws(ResultCode) -> String {
        path.hasPrefix("/") ? path : "/" + path
    }
}
