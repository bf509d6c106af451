import Glibc
package import SealiteFile

/// Reads small files that aren't databases, such as freshness records, and replaces them atomically.
package enum StateFile {
    /// Returns the bytes of a file; nil if it doesn't exist. A file larger than `limit` bytes is refused before it is
    /// opened: it could be a database, whose locks open(2) and close(2) outside SQLite would drop.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - limit: the maximum number of bytes.
    ///   - isOwnerOnly: true to refuse a file that other users than this one and the administrator may change. The open
    ///     file is checked, not what its path names afterwards.
    /// - Returns: the bytes; nil if the file doesn't exist.
    /// - Throws: `permission` for a file that can't be read or that `isOwnerOnly` refuses; `notAFile` for a folder,
    ///   pipe, socket or device; `invalidArgument` for a large file; errors of reading.
    package static func read(
        _ path: String, limit: Int, isOwnerOnly: Bool = false
    ) throws(SealedFileError) -> [UInt8]? {
        guard let size = try regularByteCount(path, limit: limit) else { return nil }
        let descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SealedFileError(errno: errno, doing: "opening", path) }
        defer { close(descriptor) }
        if isOwnerOnly { try checkOwner(of: descriptor, path) }
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

    private static func checkOwner(of descriptor: CInt, _ path: String) throws(SealedFileError) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else {
            throw SealedFileError(errno: errno, doing: "reading the owner and mode of", path)
        }
        guard status.st_mode & 0o022 == 0, status.st_uid == getuid() || status.st_uid == 0 else {
            throw SealedFileError(
                .permission, "\"\(path)\" may be changed by other users, so its content isn't trusted",
                hint: "make yourself the owner, and set mode 0600")
        }
    }

    private static func regularByteCount(_ path: String, limit: Int) throws(SealedFileError) -> Int? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            if errno == ENOENT { return nil }
            throw SealedFileError(errno: errno, doing: "reading", path)
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw SealedFileError(.notAFile, "\"\(path)\" isn't a regular file")
        }
        guard status.st_size <= off_t(limit) else {
            throw SealedFileError(
                .invalidArgument,
                "\"\(path)\" can't be the expected file: it has \(status.st_size) bytes, more than the limit of \(limit)"
            )
        }
        return Int(status.st_size)
    }

    /// Replaces a file atomically, or creates it. Its mode is 0600 afterwards.
    package static func replace(_ path: String, with bytes: [UInt8]) throws(SealedFileError) {
        let file = try NewFile(path, replacing: true)
        try file.write(bytes)
        try file.publishOverOld()
    }
}
