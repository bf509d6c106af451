internal import Glibc
internal import SealiteBase

/// A time zone of the system's time zone database, read from a TZif file (RFC 8536).
final class ZoneFile: Sendable {
    private let data: ZoneData
    /// The rule for times after the last change; nil if the last offset stays.
    private let rule: ZoneRule?

    /// The maximum size of a file in bytes.
    private static let maximumByteCount = 1 << 18
    private static let folder = "/usr/share/zoneinfo/"

    /// Reads the time zone with a name, such as `Europe/Oslo`, from the system's files; nil if there is none.
    init?(named name: String) {
        guard Self.isName(name), let bytes = Self.contents(Self.folder + name), let data = ZoneData(bytes) else {
            return nil
        }
        (self.data, rule) = (data, ZoneRule(data.footer))
    }

    /// Returns the offset from UTC in seconds at a number of seconds since 1970.
    func offset(at seconds: Int) -> Int {
        let changes = data.changes
        guard let start = changes.first, seconds >= start else { return data.first }
        if let last = changes.last, seconds >= last, let rule { return rule.offset(at: seconds) }
        var (low, high) = (0, changes.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if changes[middle] <= seconds { low = middle } else { high = middle }
        }
        return data.offsets[low]
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

/// The parsed content of a TZif file (RFC 8536), which describes a time zone.
struct ZoneData: Sendable {
    /// The times in seconds since 1970 at which the offset changes, in ascending order.
    private(set) var changes: [Int] = []
    /// The offsets from UTC in seconds from each change on.
    private(set) var offsets: [Int] = []
    /// The offset from UTC in seconds before the first change.
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

/// The rule of a time zone for all years, in the form of POSIX's `TZ`, such as `CET-1CEST,M3.5.0,M10.5.0/3`.
struct ZoneRule: Sendable {
    private let standard: Int
    private let summer: Summer?

    private struct Summer: Sendable {
        var offset: Int
        var start: Day
        var end: Day
    }

    /// A day of each year, with a time of day in seconds, at which the offset changes.
    private struct Day: Sendable {
        enum Kind: Sendable {
            /// A weekday (0 for Sunday) in the given week of a month; week 5 is the last one.
            case week(month: Int, week: Int, day: Int)
            /// The day of the year from 1, without counting February 29th.
            case julian(Int)
            /// The day of the year from 0, with February 29th counted.
            case ordinal(Int)
        }

        var kind: Kind
        var seconds: Int

        /// Returns the day and its time of day in a year, in seconds since 1970-01-01T00:00 local time.
        func wall(in year: Int) -> Int {
            let number: Int
            switch kind {
            case .ordinal(let day): number = CalendarDay(year: year, month: 1, day: 1).number + day
            case .julian(let day):
                let march = CalendarDay(year: year, month: 3, day: 1).number
                number = day > 59 ? march + day - 60 : CalendarDay(year: year, month: 1, day: 1).number + day - 1
            case .week(let month, let week, let day):
                let first = CalendarDay(year: year, month: month, day: 1)
                let start = first.number + floorDivide(day - first.weekday % 7, by: 7).remainder
                let next = CalendarTime.firstDay(ofMonth: year * 12 + month)
                number = week == 5 ? start + (next - 1 - start) / 7 * 7 : start + (week - 1) * 7
            }
            return number * 86_400 + seconds
        }
    }

    /// Creates the rule of a text; nil if the text is invalid.
    init?(_ text: String) {
        var scanner = Scanner(bytes: Array(text.utf8))
        guard scanner.name(), let ahead = scanner.time() else { return nil }
        standard = -ahead
        guard !scanner.isAtEnd else {
            summer = nil
            return
        }
        guard scanner.name() else { return nil }
        let offset = scanner.peek == 0x2C ? standard + 3600 : scanner.time().map { -$0 }
        guard let offset, let start = scanner.day(), let end = scanner.day(), scanner.isAtEnd else { return nil }
        summer = Summer(offset: offset, start: start, end: end)
    }

    /// Returns the offset from UTC in seconds at a number of seconds since 1970.
    func offset(at seconds: Int) -> Int {
        guard let summer else { return standard }
        let year = CalendarDay(number: floorDivide(seconds + standard, by: 86_400).quotient).year
        let start = summer.start.wall(in: year) - standard
        let end = summer.end.wall(in: year) - summer.offset
        let isSummer = start < end ? (start..<end).contains(seconds) : !(end..<start).contains(seconds)
        return isSummer ? summer.offset : standard
    }

    private struct Scanner {
        let bytes: [UInt8]
        var offset = 0

        var isAtEnd: Bool { offset == bytes.count }
        var peek: UInt8? { offset < bytes.count ? bytes[offset] : nil }

        mutating func skip(_ byte: UInt8) -> Bool {
            guard peek == byte else { return false }
            offset += 1
            return true
        }

        /// Skips a time zone abbreviation: letters, or anything in angle brackets. Returns false if there is none.
        mutating func name() -> Bool {
            let start = offset
            if skip(0x3C) {
                while let byte = peek, byte != 0x3E { offset += 1 }
                return skip(0x3E)
            }
            while let byte = peek, (0x41...0x5A).contains(byte & 0xDF) { offset += 1 }
            return offset > start
        }

        mutating func number() -> Int? {
            let digits = bytes[offset...].prefix { (0x30...0x39).contains($0) }
            guard (1...4).contains(digits.count) else { return nil }
            offset += digits.count
            return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        }

        /// Scans hours, optionally minutes and seconds, with an optional sign, and returns them in seconds; nil if
        /// there are none.
        mutating func time() -> Int? {
            let sign = skip(0x2D) ? -1 : 1
            _ = skip(0x2B)
            guard var seconds = number().map({ $0 * 3600 }) else { return nil }
            for unit in [60, 1] where skip(0x3A) {
                guard let number = number() else { return nil }
                seconds += number * unit
            }
            return sign * seconds
        }

        mutating func day() -> Day? {
            guard skip(0x2C), let kind = kind() else { return nil }
            guard skip(0x2F) else { return Day(kind: kind, seconds: 7200) }
            return time().map { Day(kind: kind, seconds: $0) }
        }

        private mutating func kind() -> Day.Kind? {
            if skip(0x4D) {
                guard let month = number(), skip(0x2E), let week = number(), skip(0x2E), let day = number(),
                    (1...12).contains(month), (1...5).contains(week), (0...6).contains(day)
                else { return nil }
                return .week(month: month, week: week, day: day)
            }
            let isJulian = skip(0x4A)
            guard let day = number(), (isJulian ? 1...365 : 0...365).contains(day) else { return nil }
            return isJulian ? .julian(day) : .ordinal(day)
        }
    }
}
