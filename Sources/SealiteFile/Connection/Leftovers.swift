import Glibc

/// Temporary files that a crash left beside a database.
package enum Leftovers {
    /// Those of one path that no process is writing.
    package static func list(for path: String) -> [String] {
        let folder = NewFile.folder(of: path)
        let prefix = "." + NewFile.name(of: path) + NewFile.marker
        guard let stream = unsafe opendir(folder) else { return [] }
        defer { unsafe closedir(stream) }
        var found: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            let digits = name.dropFirst(prefix.count).prefix(16)
            let suffix = String(name.dropFirst(prefix.count + 16))
            guard name.hasPrefix(prefix), digits.count == 16, digits.allSatisfy(\.isHexDigit),
                suffix.isEmpty || TemporaryNames.sidecarSuffixes.contains(suffix),
                isAbandoned(folder + prefix + digits)
            else { continue }
            found.append(folder + name)
        }
        return found.sorted()
    }

    /// Whether the process that made a temporary file is gone; a sidecar whose file is gone is abandoned too. What is so is
    /// handed to `body` under the lock, so that no process takes the name meanwhile.
    @discardableResult
    private static func isAbandoned(_ path: String, _ body: () -> Void = {}) -> Bool {
        // A pipe of that name must not make us wait for its other end.
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
