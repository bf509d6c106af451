import CSQLite
import Glibc

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
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard let marker = name.ranges(of: NewFile.marker).last else { continue }
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
