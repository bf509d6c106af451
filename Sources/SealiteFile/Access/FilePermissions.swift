import Glibc

/// The file system's view of a path, without opening the file: an open(2) and close(2) of our own on a database would
/// drop SQLite's locks on it.
package enum FilePermissions {
    /// Returns the reason for which a file can't be opened; nil where nothing speaks against opening it.
    package static func reasonNotToOpen(_ path: String) -> SealedFileError? {
        guard unsafe access(path, F_OK) == 0 else {
            return errno == EACCES
                ? SealedFileError(.permission, "\"\(path)\" can't be reached: no permission on a folder above it")
                : SealedFileError(.noSuchFile, "\"\(path)\" doesn't exist")
        }
        if let reason = reasonNotToWaitFor(path) { return reason }
        guard unsafe access(path, R_OK) == 0 else {
            return SealedFileError(
                .permission, "\"\(path)\" can't be read: no permission", hint: "check its owner and mode")
        }
        return nil
    }

    /// Returns the reason for which a file that isn't there can't be made; nil where nothing speaks against making it.
    static func reasonNotToMake(_ path: String) -> SealedFileError? {
        guard unsafe access(FilePath.folder(of: path), W_OK | X_OK) != 0 else { return nil }
        return SealedFileError(errno: errno, doing: "creating", path)
    }

    /// Returns the reason for which nothing that has this path may be opened: a folder, or a pipe or device, whose open(2) can wait for ever. Nil also
    /// where there is nothing.
    static func reasonNotToWaitFor(_ path: String) -> SealedFileError? {
        var status = stat()
        guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return nil }
        let isFolder = status.st_mode & S_IFMT == S_IFDIR
        let kind = isFolder ? "is a folder" : "isn't a regular file but a pipe, socket or device"
        return SealedFileError(.notSealed, "\"\(path)\" \(kind)")
    }

    /// The name that SQLite gives to the file at a path: absolute, with links followed, whether or not the last part exists.
    static func fullPath(_ path: String) -> String {
        func resolved(_ path: String) -> String? {
            guard let found = unsafe realpath(path, nil) else { return nil }
            defer { unsafe free(found) }
            return unsafe String(cString: found)
        }
        if let whole = resolved(path) { return whole }
        guard let folder = resolved(FilePath.folder(of: path)) else { return path }
        return "\(folder == "/" ? "" : folder)/\(FilePath.name(of: path))"
    }

    package static func exists(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0
    }

    package static func isLink(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    /// Returns whether both paths lead to one file that exists.
    package static func isSameFile(_ left: String, _ right: String) -> Bool {
        var (one, other) = (stat(), stat())
        guard unsafe stat(left, &one) == 0, unsafe stat(right, &other) == 0 else { return false }
        return one.st_dev == other.st_dev && one.st_ino == other.st_ino
    }

    /// The size of a file in bytes; 0 where there is none.
    package static func size(of path: String) -> Int64 {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? Int64(status.st_size) : 0
    }

    /// Returns the number of a file's bytes that its file system keeps: less than its size where it has holes.
    package static func allocatedByteCount(of path: String) -> Int64 {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? Int64(status.st_blocks) * 512 : 0
    }

    static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
