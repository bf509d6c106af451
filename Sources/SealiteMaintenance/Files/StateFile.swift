import CSQLite
import Glibc
import SealiteCrypto
package import SealiteFile

/// A small file of ours that is no database: read whole, and replaced in one step.
package enum StateFile {
    /// The bytes of a file; nil where there is none. Refuses one larger than `limit` bytes before it is opened: that
    /// could be a database, whose locks an open(2) and close(2) of our own would drop.
    package static func read(_ path: String, limit: Int) throws(SealedFileError) -> [UInt8]? {
        guard let size = try regularByteCount(path, limit: limit) else { return nil }
        let descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SealedFileError(errno: errno, doing: "opening", path) }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: size)
        var done = 0
        while done < size {
            let count = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe Glibc.read(descriptor, buffer.baseAddress?.advanced(by: done), size - done)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw SealedFileError(errno: errno, doing: "reading", path) }
            if count == 0 { break }
            done += count
        }
        return Array(bytes.prefix(done))
    }

    private static func regularByteCount(_ path: String, limit: Int) throws(SealedFileError) -> Int? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            if errno == ENOENT { return nil }
            throw SealedFileError(errno: errno, doing: "reading", path)
        }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= off_t(limit) else {
            throw SealedFileError(
                .invalidArgument, "\"\(path)\" isn't a file of at most \(limit) bytes: it has \(status.st_size)")
        }
        return Int(status.st_size)
    }

    /// Puts bytes in the place of a file, or makes it, mode 0600: old content or new, whatever happens.
    package static func replace(_ path: String, with bytes: [UInt8]) throws(SealedFileError) {
        let temporary = try NewFile.temporaryPath(for: path)
        let descriptor = try TemporaryNames.create(temporary)
        defer {
            TemporaryNames.remove(temporary)
            close(descriptor)
        }
        var done = 0
        while done < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.write(descriptor, buffer.baseAddress?.advanced(by: done), bytes.count - done)
            }
            guard count > 0 || errno == EINTR else { throw SealedFileError(errno: errno, doing: "writing", path) }
            done += max(0, count)
        }
        guard fsync(descriptor) == 0 else { throw SealedFileError(errno: errno, doing: "syncing", path) }
        guard unsafe rename(temporary, path) == 0 else { throw SealedFileError(errno: errno, doing: "naming", path) }
        try NewFile.syncFolder(of: path)
    }
}
