import Glibc
import Synchronization

/// The temporary files that this process has on disk, so that a signal handler can remove them.
package enum TemporaryNames {
    private static let names = Mutex<Set<String>>([])
    /// Files with final names that are useless without another file that is still being created, by path.
    private static let companions = Mutex<[String: String]>([:])
    /// The suffixes of files that SQLite may put beside a file.
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

    /// Publishes a file under its final name by calling `take`, unless a signal is ending the process.
    static func naming(_ take: () throws(SealedFileError) -> Void) throws(SealedFileError) {
        try names.withLock { (_) throws(SealedFileError) in try take() }
    }

    /// Registers `path` for removal on a signal while `owner` doesn't exist yet; nil unregisters it.
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

    /// Removes every temporary file of this process and calls `last`, during which no new one can be created: for a
    /// process that is about to end because of a signal.
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
