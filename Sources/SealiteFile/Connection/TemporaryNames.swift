import CSQLite
import Glibc
import Synchronization

/// The temporary files that this process has created and not yet published or removed, so that a signal handler can
/// remove them.
package enum TemporaryNames {
    private static let names = Mutex<Set<String>>([])
    /// Files that already have their final names but are useless unless a second file is created too, such as the paper
    /// form of a new database's recovery key. Key: the file's path. Value: the path of the second file, the owner.
    private static let companions = Mutex<[String: String]>([:])
    /// The suffixes of the files that SQLite may create beside a database file.
    package static let sidecarSuffixes = ["-journal", "-wal", "-shm"]

    package static func create(_ path: String) throws(SealedFileError) -> CInt {
        try names.withLock { (names) throws(SealedFileError) in
            let descriptor = unsafe Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else { throw SealedFileError(errno: errno, doing: "creating", path) }
            names.insert(path)
            return descriptor
        }
    }

    package static func remove(_ path: String) {
        names.withLock { names in
            unlinkAll(path)
            names.remove(path)
        }
    }

    /// Registers a temporary path before `take` gives it to a file, and unregisters it if `take` fails or returns false.
    static func adopt(_ path: String, _ take: () throws(SealedFileError) -> Bool) throws(SealedFileError) {
        names.withLock { _ = $0.insert(path) }
        var isTaken = false
        defer { if !isTaken { names.withLock { _ = $0.remove(path) } } }
        isTaken = try take()
    }

    /// Gives a file its final name by calling `take`. If a signal handler is removing the temporary files, waits for
    /// it, so that the process ends without the call.
    static func naming(_ take: () throws(SealedFileError) -> Void) throws(SealedFileError) {
        try names.withLock { (_) throws(SealedFileError) in try take() }
    }

    /// Registers the file at `path` for removal by a signal handler as long as no file exists at the path `owner`. With
    /// `owner` nil, unregisters the file.
    package static func keep(_ path: String, onlyWith owner: String?) {
        companions.withLock { $0[path] = owner }
    }

    static func removeSidecars(_ path: String) {
        for suffix in sidecarSuffixes { unsafe unlink(path + suffix) }
    }

    static func unlinkAll(_ path: String) {
        unsafe unlink(path)
        removeSidecars(path)
    }

    /// Removes every temporary file of this process, and every file registered by `keep(_:onlyWith:)` whose owner
    /// doesn't exist, because a signal is about to end the process. Then calls `last`; while `last` runs, no temporary
    /// file can be created.
    package static func removeAll(last: () -> Void) {
        names.withLock { names in
            for path in names { unlinkAll(path) }
            names = []
            companions.withLock { companions in
                for (path, owner) in companions where !FilePermissions.exists(owner) { unsafe unlink(path) }
            }
            last()
        }
    }
}

/// Finds and removes temporary files that a crash left beside a database.
package enum AbandonedFiles {
    /// Returns the paths of the abandoned temporary files that were to become the file at a path, and of their
    /// `-journal`, `-wal` and `-shm` files.
    package static func list(for path: String) -> [String] {
        list(in: FilePath.folder(of: path)) { $0 == "." + FilePath.name(of: path) + NewFile.marker }
    }

    /// Returns the paths of all abandoned temporary files in the folder of a path, whatever their final names were to
    /// be, and of their `-journal`, `-wal` and `-shm` files.
    package static func list(beside path: String) -> [String] {
        list(in: FilePath.folder(of: path)) { $0.hasPrefix(".") && $0.count > NewFile.marker.count + 1 }
    }

    /// A temporary file that a killed process left.
    package struct Leftover: Sendable {
        package let path: String
        /// The size of the file and of its `-journal`, `-wal` and `-shm` files in bytes.
        package let byteCount: Int64
    }

    /// Returns the abandoned temporary files in the folder of a path, each together with its `-journal`, `-wal` and
    /// `-shm` files.
    package static func leftovers(beside path: String) -> [Leftover] {
        list(beside: path).filter { path in !TemporaryNames.sidecarSuffixes.contains { path.hasSuffix($0) } }.map {
            path in
            let sizes = ([""] + TemporaryNames.sidecarSuffixes).map { FilePermissions.size(of: path + $0) }
            return Leftover(path: path, byteCount: sizes.reduce(0, +))
        }
    }

    /// Removes an abandoned temporary file, with its `-journal`, `-wal` and `-shm` files.
    ///
    /// - Returns: false if a process uses the file again, or if it couldn't be removed.
    package static func remove(_ path: String) -> Bool {
        precondition(FilePath.name(of: path).contains(NewFile.marker), "only temporary files are removed")
        return isAbandoned(path) { TemporaryNames.unlinkAll(path) } && !FilePermissions.exists(path)
    }

    /// Returns the abandoned files of a folder for whose names `isMeant` returns true. `isMeant` receives the name up
    /// to and including `NewFile.marker`.
    private static func list(in folder: String, _ isMeant: (String) -> Bool) -> [String] {
        assert(folder.hasSuffix("/"), "names are appended to the folder")
        guard let stream = unsafe opendir(folder) else { return [] }
        defer { unsafe closedir(stream) }
        var found: [String] = []
        while let entry = unsafe readdir(stream) {
            let name: String? = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                // Of the other files, which may be many, no strings are made.
                guard let start = unsafe bytes.assumingMemoryBound(to: CChar.self).baseAddress,
                    unsafe strstr(start, NewFile.marker) != nil
                else { return nil }
                return unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard let name, let marker = name.ranges(of: NewFile.marker).last else { continue }
            let prefix = String(name[..<marker.upperBound])
            let digits = name[marker.upperBound...].prefix(16)
            let suffix = String(name[marker.upperBound...].dropFirst(16))
            guard isMeant(prefix), digits.count == 16, digits.allSatisfy(\.isHexDigit),
                suffix.isEmpty || TemporaryNames.sidecarSuffixes.contains(suffix),
                isAbandoned(folder + prefix + digits)
            else { continue }
            found.append(folder + name)
        }
        return found.sorted()
    }

    /// Returns whether the temporary file at a path no longer exists, the process that created the file has ended, or
    /// the file has its final name too, as a crash during `NewFile.publish()` leaves it. If so, calls `body` first.
    /// While `body` runs, a file with one name stays locked, so that no process starts to use its name.
    @discardableResult
    private static func isAbandoned(_ path: String, _ body: () -> Void = {}) -> Bool {
        var status = stat()
        if unsafe lstat(path, &status) == 0, status.st_nlink > 1 {
            // Under its other name the file may be an open database, whose locks open(2) and close(2) would drop.
            guard FilePermissions.isSameFile(path, NewFile.finalPath(ofTemporary: path)) else { return false }
            body()
            return true
        }
        // Non-blocking: opening a pipe of that name would otherwise wait for its other end.
        let descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            guard errno == ENOENT else { return false }
            body()
            return true
        }
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return false }
        body()
        return true
    }

    static func remove(for path: String) {
        for leftover in list(for: path) {
            let suffix = TemporaryNames.sidecarSuffixes.first { leftover.hasSuffix($0) } ?? ""
            isAbandoned(String(leftover.dropLast(suffix.count))) { unsafe unlink(leftover) }
        }
    }
}
