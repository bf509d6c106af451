internal import Glibc
internal import SealiteCredentials
internal import SealiteCrypto

/// Ensures that only one replicator at a time, among all processes, replicates a database with a target: a flock(2)
/// lock on an empty file beside the database, which the system releases when the process ends.
///
/// <https://man7.org/linux/man-pages/man2/flock.2.html>
final class TargetLock: Sendable {
    private let path: String
    private let descriptor: CInt

    /// Acquires the lock for a database and a target, the name of a remote.
    ///
    /// - Throws: `alreadyRunning` if another replicator has the lock; `storage` if the file can't be opened or locked.
    init(databasePath: String, target: String) throws(ReplicatorError) {
        let name: String
        do {
            name = Base64.encode(Array(try SHA256.digest(of: Array(target.utf8)).prefix(9)))
                .replacing("/", with: "_").replacing("+", with: "-")
        } catch {
            throw ReplicatorError(.storage, "the name of the lock file can't be computed: SHA-256 failed")
        }
        path = databasePath + "-sync-" + name
        descriptor = try Self.lock(path, target)
    }

    private static func lock(_ path: String, _ target: String) throws(ReplicatorError) -> CInt {
        while true {
            let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else {
                throw ReplicatorError(.storage, "the lock file \"\(path)\" can't be opened (errno \(errno))")
            }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                let number = errno
                close(descriptor)
                throw failure(number, path, target)
            }
            // The previous holder may have removed the file between the two calls.
            var (held, named) = (stat(), stat())
            if unsafe fstat(descriptor, &held) == 0, unsafe stat(path, &named) == 0, held.st_ino == named.st_ino,
                held.st_dev == named.st_dev
            {
                return descriptor
            }
            close(descriptor)
        }
    }

    /// Returns the error for a lock that flock(2) refused with an error number.
    static func failure(_ number: CInt, _ path: String, _ target: String) -> ReplicatorError {
        guard number == EWOULDBLOCK else {
            return ReplicatorError(.storage, "the lock file \"\(path)\" can't be locked (errno \(number))")
        }
        return ReplicatorError(
            .alreadyRunning,
            "another replicator, of this process or another, syncs this database with \(target): stop that one first")
    }

    deinit {
        // Removed while it is locked, so no other process holds it.
        _ = unsafe unlink(path)
        close(descriptor)
    }
}
