internal import Glibc
internal import Synchronization

/// The file of a database: whether it is still open, and its entry among the files that this process has open.
final class OpenFile: Sendable {
    private static let openCounts = Mutex<[FileIdentity: Int]>([:])

    /// The path of the file.
    let path: String
    /// The identity of the file when the database was opened; nil if it couldn't be determined.
    let identity: FileIdentity?
    private let flag = Atomic<Bool>(true)

    init(_ path: String) {
        self.path = path
        let identity = FileIdentity(path)
        self.identity = identity
        if let identity { Self.openCounts.withLock { $0[identity, default: 0] += 1 } }
    }

    deinit {
        guard let identity else { return }
        Self.openCounts.withLock { counts in
            let count = counts[identity, default: 0]
            assert(count > 0, "an open file is counted")
            counts[identity] = count > 1 ? count - 1 : nil
        }
    }

    /// A Boolean value that says whether the database is open.
    var isOpen: Bool {
        @inline(__always) get { flag.load(ordering: .acquiring) }
    }

    /// Marks the database as closed.
    ///
    /// - Returns: true if it was open.
    func close() -> Bool { flag.exchange(false, ordering: .acquiringAndReleasing) }

    /// Throws `notOpen` if the database is closed.
    @inline(__always)
    func check() throws(DatabaseError) {
        guard isOpen else { throw DatabaseError(.notOpen, "the database \"\(path)\" was closed") }
    }

    /// Returns whether a path refers to the file of a database that this process has open. Only SQLite may open and
    /// close such a file: closing another descriptor of the file drops SQLite's locks.
    /// <https://sqlite.org/howtocorrupt.html>
    static func isOpenDatabase(_ path: String) -> Bool {
        let suffixes = ["-wal", "-shm", "-journal"].filter { path.hasSuffix($0) }
        let identities = ([path] + suffixes.map { String(path.dropLast($0.count)) }).compactMap { FileIdentity($0) }
        return openCounts.withLock { counts in identities.contains { counts[$0] != nil } }
    }
}

/// The identity of a file, independent of its path: its device and inode.
struct FileIdentity: Hashable {
    private let device: UInt64
    private let inode: UInt64

    /// Determines the identity of the file at a path; nil if there is no such file, or if it can't be accessed.
    init?(_ path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
    }
}
