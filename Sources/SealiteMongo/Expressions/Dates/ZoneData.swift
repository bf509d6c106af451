internal import Glibc

/// The parsed content of a TZif file (RFC 8536), which describes a time zone.
struct ZoneData {
    private(set) var changes: [Int] = []
    private(set) var offsets: [Int] = []
    private(set) var first = 0
    /// The rule for times after the last change of the offset, in the form of POSIX's `TZ`; empty if the file has none.
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

        /// Reads a signed big-endian number of `width` bytes; the bytes must be available.
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
