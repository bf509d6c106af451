internal import Glibc
internal import SealiteCrypto
internal import SealiteFile

/// The place of a file, by which a copy is told from the file that it was made of.
enum SourcePlace {
    /// Returns a digest of the host, the file and its birth; nil where the file can't be asked.
    ///
    /// Where the file system keeps no births, a file that takes the place of one that was deleted may look like it.
    static func digest(ofFileAt path: String) -> [UInt8]? {
        guard let birth = FileBirth(ofFileAt: path) else { return nil }
        let parts = [machineID, "\(birth.inode)", "\(birth.seconds).\(birth.nanoseconds)"]
        return try? SHA256.digest(of: Array(parts.map { "\($0.utf8.count):\($0)" }.joined().utf8))
    }

    /// The system's `/etc/machine-id`; empty where it has none.
    private static var machineID: String {
        let descriptor = unsafe open("/etc/machine-id", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
        return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
    }
}
