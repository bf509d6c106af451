import CSQLite
import Glibc

/// Answers questions about the file at a path without opening the file: an open(2) and close(2) outside SQLite would
/// drop SQLite's POSIX locks on a database.
package enum FilePermissions {
    /// Returns the error for a file that can't be opened for reading because it doesn't exist, isn't a regular file, or
    /// can't be reached or read. Returns nil if none of these applies.
    package static func reasonNotToOpen(_ path: String) -> SealedFileError? {
        guard unsafe access(path, F_OK) == 0 else {
            switch errno {
            case ENOENT, ENOTDIR: return SealedFileError(.noSuchFile, "\"\(path)\" doesn't exist")
            case EACCES:
                return SealedFileError(
                    .permission, "\"\(path)\" can't be reached: no permission on a folder above it")
            case let number: return SealedFileError(errno: number, doing: "opening", path)
            }
        }
        if let reason = reasonNotToWaitFor(path) { return reason }
        guard unsafe access(path, R_OK) == 0 else {
            return SealedFileError(
                .permission, "\"\(path)\" can't be read: no permission", hint: "check its owner and mode")
        }
        return nil
    }

    /// Returns the error for a file that can't be created because its folder doesn't exist or can't be written; nil
    /// otherwise.
    static func reasonNotToMake(_ path: String) -> SealedFileError? {
        guard unsafe access(FilePath.folder(of: path), W_OK | X_OK) != 0 else { return nil }
        return SealedFileError(errno: errno, doing: "creating", path)
    }

    /// Returns the error for a path at which something other than a regular file exists: a folder, or a pipe, socket or
    /// device, whose open(2) can block forever. Returns nil for a regular file, and if nothing exists at the path.
    static func reasonNotToWaitFor(_ path: String) -> SealedFileError? {
        var status = stat()
        guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return nil }
        let isFolder = status.st_mode & S_IFMT == S_IFDIR
        let kind = isFolder ? "is a folder" : "isn't a regular file but a pipe, socket or device"
        return SealedFileError(.notAFile, "\"\(path)\" \(kind)")
    }

    /// Returns the name that SQLite uses for the file at a path: absolute, with symbolic links resolved. The file
    /// itself need not exist; if its folder doesn't exist either, returns the path unchanged.
    static func fullPath(_ path: String) -> String {
        if DraftPath.descriptor(of: path) != nil { return path }
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

    /// Returns whether both paths refer to the same existing file.
    package static func isSameFile(_ left: String, _ right: String) -> Bool {
        var (one, other) = (stat(), stat())
        guard unsafe stat(left, &one) == 0, unsafe stat(right, &other) == 0 else { return false }
        return one.st_dev == other.st_dev && one.st_ino == other.st_ino
    }

    /// Returns the size of a file in bytes; 0 if it doesn't exist or can't be examined.
    package static func size(of path: String) -> Int64 {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? Int64(status.st_size) : 0
    }

    /// Returns the number of bytes that the file system allocates for a file: less than its size if it has holes, and 0
    /// if it doesn't exist or can't be examined.
    package static func allocatedByteCount(of path: String) -> Int64 {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? Int64(status.st_blocks) * 512 : 0
    }

    static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
