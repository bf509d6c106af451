import CSQLite
import Glibc
import SealiteCrypto

/// Keeps a second rotator out, of this process or another, for as long as a rotation runs: a lock of flock(2) on the sidecar. SQLite
/// doesn't know of it, and it ends with its process, however that ends.
///
/// The sidecar is no database: an open(2) and close(2) of our own takes no lock away from SQLite.
@safe final class RotationClaim {
    private let path: String
    private let descriptor: CInt
    private let process = ForkGeneration.current

    private static let attempts = 100

    /// Makes the sidecar where there is none. Nil over a VFS that isn't the system's, whose files flock(2) doesn't know.
    ///
    /// - Throws: `SealedFileError`: `rotationUnderWay` where somebody has the claim; `permission`, `diskFull`, `inputOutput`.
    init?(on database: String, vfs: String) throws(SealedFileError) {
        guard vfs == VFSChoice.standard.base else { return nil }
        path = RotationSidecar.path(of: database)
        descriptor = try Self.claim(path, of: database, vfs: vfs)
    }

    private static func claim(_ path: String, of database: String, vfs: String) throws(SealedFileError) -> CInt {
        for _ in 0..<attempts {
            if let claimed = try attempt(path, of: database, vfs: vfs) { return claimed }
        }
        throw SealedFileError(.busy, "\"\(path)\" comes and goes", hint: "try again")
    }

    /// The locked file; nil where it was removed meanwhile, as a rotation does that ends.
    private static func attempt(_ path: String, of database: String, vfs: String) throws(SealedFileError) -> CInt? {
        // By the base VFS, which gives it the owner and the mode of the database.
        _ = try BaseHandle(
            path, vfs: vfs, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, kind: SQLITE_OPEN_MAIN_JOURNAL)
        let descriptor = unsafe Glibc.open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw SealedFileError(errno: errno, doing: "opening", path)
        }
        // Where the file system knows no such locks, two rotators at once are merely slow: each batch has SQLite's lock.
        if flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
            close(descriptor)
            throw SealedFileError(
                .rotationUnderWay, "the keys of \"\(database)\" are being rotated by another connection or process",
                hint: "'sealite info' shows how far it is; the next rotation can begin when it has ended")
        }
        guard isNamed(descriptor, path) else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    private static func isNamed(_ descriptor: CInt, _ path: String) -> Bool {
        var (ours, there) = (stat(), stat())
        return unsafe fstat(descriptor, &ours) == 0 && lstat(path, &there) == 0 && ours.st_dev == there.st_dev
            && ours.st_ino == there.st_ino
    }

    deinit {
        var status = stat()
        // Nothing came of the rotation.
        if Self.isNamed(descriptor, path), unsafe fstat(descriptor, &status) == 0, status.st_size == 0 {
            unsafe unlink(path)
        }
        // A child that was forked meanwhile has the lock too, until its own program runs: the close alone would leave it to that child. In such a child
        // the claim is still the parent's.
        if process == ForkGeneration.current { _ = flock(descriptor, LOCK_UN) }
        close(descriptor)
    }
}
