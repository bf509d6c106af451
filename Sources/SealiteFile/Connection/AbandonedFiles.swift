import Glibc

/// Temporary files that a crash left beside a database.
package enum AbandonedFiles {
    /// Returns the abandoned temporary files of one database path.
    package static func list(for path: String) -> [String] {
        list(in: FilePath.folder(of: path)) { $0 == "." + FilePath.name(of: path) + NewFile.marker }
    }

    /// Returns the abandoned temporary files beside a path, including those of plain copies, whose names aren't derived
    /// from a database.
    package static func list(beside path: String) -> [String] {
        list(in: FilePath.folder(of: path)) { $0.hasPrefix(".") && $0.count > NewFile.marker.count + 1 }
    }

    /// Returns the abandoned files of a folder. `isMeant` receives each name up to the end of the marker.
    private static func list(in folder: String, _ isMeant: (String) -> Bool) -> [String] {
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

    /// Returns whether the process that created a temporary file has ended; a sidecar whose file is gone is abandoned
    /// too. For an abandoned file, `body` runs under the lock, so that no process takes the name meanwhile.
    @discardableResult
    private static func isAbandoned(_ path: String, _ body: () -> Void = {}) -> Bool {
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
