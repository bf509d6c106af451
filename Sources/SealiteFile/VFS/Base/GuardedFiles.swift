import CSQLite
import Glibc
import Synchronization

/// The files that this process opens read-only even if SQLite requests write access.
///
/// `ATTACH` in a script can name any file whose key this process holds by any of its paths, and request write access. A
/// file is therefore guarded by its device and inode instead of its path, in every connection that is opened after
/// `add(_:)`.
package enum GuardedFiles {
    private struct Identity: Hashable {
        let device: UInt
        let inode: UInt
    }

    private static let guarded = Mutex<Set<Identity>>([])

    /// Makes every connection that is opened from now on open the file at a path read-only, until the process ends.
    ///
    /// - Throws: `SealedFileError` if the file doesn't exist or can't be examined.
    package static func add(_ path: String) throws(SealedFileError) {
        guard let identity = identity(of: path) else { throw SealedFileError(errno: errno, doing: "looking at", path) }
        guarded.withLock { _ = $0.insert(identity) }
    }

    /// Returns whether new connections open the file at a path read-only because of `add(_:)`; false if the file can't
    /// be examined.
    package static func contains(_ path: String) -> Bool {
        guarded.withLock { guarded in !guarded.isEmpty && identity(of: path).map { guarded.contains($0) } ?? false }
    }

    private static func identity(of path: String) -> Identity? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        return Identity(device: UInt(status.st_dev), inode: UInt(status.st_ino))
    }
}
