internal import CSQLite

/// The inode of a file and the time of its birth: another file at the same path has another one of either.
///
/// Where the file system keeps no births, the time is 0, and a file that takes the place of a deleted one may look like it.
package struct FileBirth: Sendable, Hashable {
    package let inode: UInt64
    package let seconds: Int64
    package let nanoseconds: UInt32

    /// Asks for a file's; nil where there is none, or it can't be asked. The file isn't opened.
    package init?(ofFileAt path: String) {
        var (inode, seconds, nanoseconds) = (CUnsignedLongLong(), CLongLong(), CUnsignedInt())
        guard unsafe sealite_file_birth(path, &inode, &seconds, &nanoseconds) == 0 else { return nil }
        (self.inode, self.seconds, self.nanoseconds) = (inode, seconds, nanoseconds)
    }
}
