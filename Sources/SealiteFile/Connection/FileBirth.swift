internal import CSQLite

/// The inode of a file and the time of its birth: another file at the same path differs in one of them.
package struct FileBirth: Sendable, Hashable {
    /// The number of the file system's device, which holds until the system is restarted.
    package let device: UInt64
    package let inode: UInt64
    package let seconds: Int64
    package let nanoseconds: UInt32

    /// Reads a file's birth without opening the file; nil if there is no such file, or the file system keeps no births.
    package init?(ofFileAt path: String) {
        var (device, inode) = (CUnsignedLongLong(), CUnsignedLongLong())
        var (seconds, nanoseconds) = (CLongLong(), CUnsignedInt())
        guard unsafe sealite_file_birth(path, &device, &inode, &seconds, &nanoseconds) == 0,
            seconds != 0 || nanoseconds != 0
        else { return nil }
        (self.device, self.inode, self.seconds, self.nanoseconds) = (device, inode, seconds, nanoseconds)
    }
}
