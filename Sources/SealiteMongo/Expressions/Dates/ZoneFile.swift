internal import Glibc

/// A time zone of the system's time zone database, read from a TZif file (RFC 8536).
final class ZoneFile: Sendable {
    /// The times in seconds since 1970 at which the offset changes, in ascending order.
    private let changes: [Int]
    /// The offsets from UTC in seconds from each change on.
    private let offsets: [Int]
    /// The offset before the first change.
    private let first: Int
    /// The rule for times after the last change.
    private let rule: ZoneRule?

    /// The maximum size of a file.
    private static let maximumByteCount = 1 << 18
    private static let folder = "/usr/share/zoneinfo/"

    /// Creates the zone of a name; nil if the system doesn't know it.
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

    /// Returns a Boolean value that says whether a name is a path that stays in the database's directory.
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

/// The content of a TZif file, with bounds checks.
struct ZoneData {
    private(set) var changes: [Int] = []
    private(set) var offsets: [Int] = []
    private(set) var first = 0
    /// The rule for later times, in the form of POSIX's `TZ`.
    private(set) var footer = ""

    init?(_ bytes: [UInt8]) {
        var reader = Reader(bytes: bytes)
        guard let old = reader.header() else { return nil }
        guard old.version >= 0x32 else { return nil }
        // The first block has times of 32 bits, which the second block repeats with 64 bits.
        guard reader.skip(old.byteCount(timeWidth: 4)), let header = reader.header(), header.typeCount > 0,
            reader.bytes.count - reader.offset >= header.byteCount(timeWidth: 8)
        else { return nil }
        changes = (0..<header.timeCount).map { _ in reader.number(8) }
        let types = (0..<header.timeCount).map { _ in reader.number(1) & 0xFF }
        let typeOffsets = (0..<header.typeCount).map { _ in
            let offset = reader.number(4)
            _ = reader.skip(2)
            return offset
        }
        guard types.allSatisfy({ $0 < typeOffsets.count }), zip(changes, changes.dropFirst()).allSatisfy({ $0 < $1 }),
            typeOffsets.allSatisfy({ $0.magnitude < 200_000 })
        else { return nil }
        offsets = types.map { typeOffsets[$0] }
        first = typeOffsets[0]
        guard reader.skip(header.byteCount(timeWidth: 8) - header.timeCount * 9 - header.typeCount * 6) else {
            return nil
        }
        footer = String(decoding: bytes[reader.offset...].drop { $0 == 0x0A }.prefix { $0 != 0x0A }, as: UTF8.self)
    }

    private struct Header {
        var version: UInt8
        var timeCount: Int
        var typeCount: Int
        var others: [Int]

        func byteCount(timeWidth: Int) -> Int {
            timeCount * (timeWidth + 1) + typeCount * 6 + others[0] + others[1] + others[2] * (timeWidth + 4)
                + others[3]
        }
    }

    private struct Reader {
        let bytes: [UInt8]
        var offset = 0

        mutating func skip(_ count: Int) -> Bool {
            guard count >= 0, bytes.count - offset >= count else { return false }
            offset += count
            return true
        }

        /// Reads a signed big-endian number; the bytes must be available.
        mutating func number(_ width: Int) -> Int {
            var value = Int(Int8(bitPattern: bytes[offset]))
            for index in 1..<max(width, 1) { value = value << 8 | Int(bytes[offset + index]) }
            offset += width
            return value
        }

        mutating func header() -> Header? {
            let start = offset
            guard skip(44), bytes[start..<(start + 4)].elementsEqual("TZif".utf8) else { return nil }
            let version = bytes[start + 4]
            offset = start + 20
            // The counts in the file's order: UTC indicators, standard indicators, leap seconds, times, types,
            // characters of names.
            let counts = (0..<6).map { _ in number(4) }
            guard counts.allSatisfy({ (0...100_000).contains($0) }) else { return nil }
            return Header(
                version: version, timeCount: counts[3], typeCount: counts[4],
                others: [counts[5], counts[1], counts[2], counts[0]])
        }
    }
}
