import Glibc
import Synchronization

/// The temporary names that this process has on disk, so that a signal can take them away.
package enum TemporaryNames {
    private static let names = Mutex<Set<String>>([])
    /// What SQLite may put beside a file.
    package static let sidecarSuffixes = ["-journal", "-wal", "-shm"]

    static func create(_ path: String) throws(SealedFileError) -> CInt {
        try names.withLock { (names) throws(SealedFileError) in
            let descriptor = unsafe Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else { throw SealedFileError(errno: errno, doing: "creating", path) }
            names.insert(path)
            return descriptor
        }
    }

    static func remove(_ path: String) {
        names.withLock { names in
            unlinkAll(path)
            names.remove(path)
        }
    }

    static func removeSidecars(_ path: String) {
        for suffix in sidecarSuffixes { unsafe unlink(path + suffix) }
    }

    static func unlinkAll(_ path: String) {
        unsafe unlink(path)
        removeSidecars(path)
    }

    /// Removes every temporary file of this process, calls `last`, and lets no new one be made while it runs: for a process
    /// that is about to end by a signal.
    package static func removeAll(last: () -> Void) {
        names.withLock { names in
            for path in names { unlinkAll(path) }
            names = []
            last()
        }
    }
}
