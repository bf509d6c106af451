internal import Glibc

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
