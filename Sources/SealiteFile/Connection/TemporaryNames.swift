import Glibc
import Synchronization

/// The temporary files that this process has created and not yet published or removed, so that a signal handler can
/// remove them.
package enum TemporaryNames {
    private static let names = Mutex<Set<String>>([])
    /// Files that already have their final names but are useless unless a second file is created too, such as the paper
    /// form of a new database's recovery key. Key: the file's path. Value: the path of the second file, the owner.
    private static let companions = Mutex<[String: String]>([:])
    /// The suffixes of the files that SQLite may create beside a database file.
    package static let sidecarSuffixes = ["-journal", "-wal", "-shm"]

    package static func create(_ path: String) throws(SealedFileError) -> CInt {
        try names.withLock { (names) throws(SealedFileError) in
            let descriptor = unsafe Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else { throw SealedFileError(errno: errno, doing: "creating", path) }
            names.insert(path)
            return descriptor
        }
    }

    package static func remove(_ path: String) {
        names.withLock { names in
            unlinkAll(path)
            names.remove(path)
        }
    }

    /// Registers a temporary path before `take` gives it to a file, and unregisters it if `take` fails or returns false.
    static func adopt(_ path: String, _ take: () throws(SealedFileError) -> Bool) throws(SealedFileError) {
        names.withLock { _ = $0.insert(path) }
        var isTaken = false
        defer { if !isTaken { names.withLock { _ = $0.remove(path) } } }
        isTaken = try take()
    }

    /// Gives a file its final name by calling `take`. If a signal handler is removing the temporary files, waits for
    /// it, so that the process ends without the call.
    static func naming(_ take: () throws(SealedFileError) -> Void) throws(SealedFileError) {
        try names.withLock { (_) throws(SealedFileError) in try take() }
    }

    /// Registers the file at `path` for removal by a signal handler as long as no file exists at the path `owner`. With
    /// `owner` nil, unregisters the file.
    package static func keep(_ path: String, onlyWith owner: String?) {
        companions.withLock { $0[path] = owner }
    }

    static func removeSidecars(_ path: String) {
        for suffix in sidecarSuffixes { unsafe unlink(path + suffix) }
    }

    static func unlinkAll(_ path: String) {
        unsafe unlink(path)
        removeSidecars(path)
    }

    /// Removes every temporary file of this process, and every file registered by `keep(_:onlyWith:)` whose owner
    /// doesn't exist, because a signal is about to end the process. Then calls `last`; while `last` runs, no temporary
    /// file can be created.
    package static func removeAll(last: () -> Void) {
        names.withLock { names in
            for path in names { unlinkAll(path) }
            names = []
            companions.withLock { companions in
                for (path, owner) in companions where !FilePermissions.exists(owner) { unsafe unlink(path) }
            }
            last()
        }
    }
}
