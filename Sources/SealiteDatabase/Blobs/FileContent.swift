internal import Glibc

/// A file that is the source of a blob's content.
final class FileContent: Sendable {
    private let descriptor: CInt
    private let path: String

    /// Opens a file.
    ///
    /// - Throws: `notFound` if there is no such file, `permissionDenied`, `ioError`, and `invalidParameter` for a file
    ///   of a database that this process has open.
    init(_ path: String) throws(DatabaseError) {
        guard !OpenFile.isOpenDatabase(path) else {
            throw DatabaseError(
                .invalidParameter,
                "no blob can be made of \"\(path)\", because it is a file of a database that this process has open")
        }
        self.path = path
        unsafe descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            let number = errno
            throw DatabaseError(
                errno: number, "the file \"\(path)\" can't be opened",
                otherwise: number == ENOENT || number == ENOTDIR ? .notFound : .ioError)
        }
    }

    deinit { close(descriptor) }

    /// Returns the length of a file in bytes; nil if there is no such file or it isn't a regular file.
    static func length(_ path: String) -> UInt64? {
        var status = stat()
        guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return UInt64(clamping: status.st_size)
    }

    /// Returns `count` bytes from an offset; fewer, or none, where the file ends.
    func read(upTo count: Int, at offset: UInt64) throws(DatabaseError) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let result = unsafe buffer.withUnsafeMutableBytes { buffer in
                unsafe pread(
                    descriptor, UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]).baseAddress, count - filled,
                    off_t(offset) + off_t(filled))
            }
            if result == 0 { break }
            if result < 0 {
                let number = errno
                guard number == EINTR else {
                    throw DatabaseError(errno: number, "the file \"\(path)\" can't be read")
                }
                continue
            }
            filled += result
        }
        buffer.removeSubrange(filled...)
        return buffer
    }
}
