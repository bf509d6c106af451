internal import Glibc
internal import SealiteCrypto
internal import SealiteFile

/// Identifies a file by its host, inode and birth time, which distinguish a copy from its original.
enum FileFingerprint {
    /// Returns a digest of the host, the file's inode and its birth time; nil if one of them is unknown.
    @Sendable static func digest(ofFileAt path: String) -> [UInt8]? {
        guard let birth = FileBirth(ofFileAt: path), let host = host(device: birth.device) else { return nil }
        let parts = [host, "\(birth.inode)", "\(birth.seconds).\(birth.nanoseconds)"]
        return try? SHA256.digest(of: Array(parts.map { "\($0.utf8.count):\($0)" }.joined().utf8))
    }

    /// Returns a text that identifies the host; nil if the system has none.
    ///
    /// Containers often have no `/etc/machine-id`. The random id of the system's start (`boot_id`) and the device
    /// together then distinguish two containers of one image, whose files have the same inode and birth.
    private static func host(device: UInt64) -> String? {
        if let machine = line(ofFileAt: "/etc/machine-id"), machine != "uninitialized" { return machine }
        return line(ofFileAt: "/proc/sys/kernel/random/boot_id").map { "\($0)/\(device)" }
    }

    /// Returns a file's first line, cut at 64 bytes; nil if the file can't be read or the line is empty.
    private static func line(ofFileAt path: String) -> String? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
        let line = bytes.prefix(max(count, 0)).prefix { $0 != UInt8(ascii: "\n") }
        return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
    }
}
