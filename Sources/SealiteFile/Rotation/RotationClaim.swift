import CSQLite
import Glibc
import SealiteCrypto

/// Excludes a second rotation, in this process or another, by a flock(2) lock on the sidecar, which is the rotation's
/// own journal file. SQLite doesn't use this lock, and it is released when its process ends in any way.
///
/// The sidecar isn't a database, so open(2) and close(2) on it drop no lock of SQLite.
@safe final class RotationClaim {
    private let path: String
    private let descriptor: CInt
    private let process = ForkGeneration.current

    private static let attempts = 100

    /// Claims the rotation, creating the sidecar if necessary. Returns nil over a VFS other than SQLite's "unix", on
    /// whose files flock(2) can't be used.
    ///
    /// - Throws: `SealedFileError`: `rotationUnderWay` if another rotation holds the claim; `permission`, `diskFull`,
    /// `inputOutput`.
    init?(on database: String, vfs: String) throws(SealedFileError) {
        guard vfs == VFSChoice.standard.base else { return nil }
        path = RotationSidecar.path(of: database)
        descriptor = try Self.claim(path, of: database, vfs: vfs)
    }

    private static func claim(_ path: String, of database: String, vfs: String) throws(SealedFileError) -> CInt {
        for _ in 0..<attempts {
            if let claimed = try attempt(path, of: database, vfs: vfs) { return claimed }
        }
        throw SealedFileError(
            .busy, "\"\(path)\" can't be locked: other key rotations keep removing it", hint: "try again")
    }

    /// Opens and locks the sidecar; nil if it was removed meanwhile by a rotation that ended.
    private static func attempt(_ path: String, of database: String, vfs: String) throws(SealedFileError) -> CInt? {
        // The base VFS creates it with the owner and mode of the database.
        _ = try BaseHandle(
            path, vfs: vfs, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, kind: SQLITE_OPEN_MAIN_JOURNAL)
        let descriptor = unsafe Glibc.open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw SealedFileError(errno: errno, doing: "opening", path)
        }
        // Without flock(2), two concurrent rotations are merely slow: each batch holds SQLite's lock.
        if flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
            close(descriptor)
            throw SealedFileError(
                .rotationUnderWay, "the keys of \"\(database)\" are being rotated by another connection or process",
                hint: FileRemedy.awaitRotation.hint)
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
        defer { close(descriptor) }
        // In a child that was forked meanwhile the claim still belongs to the parent.
        guard process == ForkGeneration.current else { return }
        var status = stat()
        // The rotation never started. Without the lock, the sidecar may be that of another rotation.
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0, Self.isNamed(descriptor, path),
            unsafe fstat(descriptor, &status) == 0, status.st_size == 0
        {
            unsafe unlink(path)
        }
        // Such a child shares the lock until it executes its program, so closing isn't enough.
        _ = flock(descriptor, LOCK_UN)
    }
}
