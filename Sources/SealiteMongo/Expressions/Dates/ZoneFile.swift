internal import Glibc

/// A time zone of the system's time zone database, read from a TZif file (RFC 8536).
final class ZoneFile: Sendable {
    /// The times in seconds since 1970 at which the offset changes, in ascending order.
    private let changes: [Int]
    /// The offsets from UTC in seconds from each change on.
    private let offsets: [Int]
    /// The offset from UTC in seconds before the first change.
    private let first: Int
    /// The rule for times after the last change; nil if the last offset stays.
    private let rule: ZoneRule?

    /// The maximum size of a file in bytes.
    private static let maximumByteCount = 1 << 18
    private static let folder = "/usr/share/zoneinfo/"

    /// Reads the time zone with a name, such as `Europe/Oslo`, from the system's files; nil if there is none.
    init?(named name: String) {
        guard Self.isName(name), let bytes = Self.contents(Self.folder + name), let zone = ZoneData(bytes) else {
            return nil
        }
        (changes, offsets, first, rule) = (zone.changes, zone.offsets, zone.first, ZoneRule(zone.footer))
    }

    /// Returns the offset from UTC in seconds at a number of seconds since 1970.
    func offset(at seconds: Int) -> Int {
        guard let start = changes.first, seconds >= start else { return first }
        if let last = changes.last, seconds >= last, let rule { return rule.offset(at: seconds) }
        var (low, high) = (0, changes.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if changes[middle] <= seconds { low = middle } else { high = middle }
        }
        return offsets[low]
    }

    /// Returns a Boolean value that says whether a name consists of characters that keep its path inside the directory
    /// of the time zone database.
    private static func isName(_ name: String) -> Bool {
        let isPart = { (byte: UInt8) in
            (0x61...0x7A).contains(byte) || (0x41...0x5A).contains(byte) || (0x30...0x39).contains(byte)
                || byte == 0x5F || byte == 0x2B || byte == 0x2D || byte == 0x2F
        }
        guard name.utf8.count <= 64, let start = name.utf8.first, (0x41...0x5A).contains(start & 0xDF) else {
            return false
        }
        return name.utf8.allSatisfy(isPart)
    }

    private static func contents(_ path: String) -> [UInt8]? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: maximumByteCount)
        var count = 0
        while count < bytes.count {
            let byteCount = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe read(
                    descriptor, UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).baseAddress,
                    buffer.count - count)
            }
            guard byteCount >= 0 else { return nil }
            guard byteCount > 0 else { return Array(bytes[..<count]) }
            count += byteCount
        }
        return nil
    }
}
