internal import CSQLite

/// The identity of a file: device, inode and creation time. Another file that is later put at the same path differs in
/// at least one of the three.
package struct FileBirth: Sendable, Hashable {
    /// The number of the file system's device, which can change when the system is restarted.
    package let device: UInt64
    package let inode: UInt64
    package let seconds: Int64
    package let nanoseconds: UInt32

    /// Reads the identity of the file at a path without opening the file; nil if there is no such file, or if its file
    /// system doesn't record creation times.
    package init?(ofFileAt path: String) {
        var (device, inode) = (CUnsignedLongLong(), CUnsignedLongLong())
        var (seconds, nanoseconds) = (CLongLong(), CUnsignedInt())
        guard unsafe sealite_file_birth(path, &device, &inode, &seconds, &nanoseconds) == 0,
            seconds != 0 || nanoseconds != 0
        else { return nil }
        (self.device, self.inode, self.seconds, self.nanoseconds) = (device, inode, seconds, nanoseconds)
    }
}
