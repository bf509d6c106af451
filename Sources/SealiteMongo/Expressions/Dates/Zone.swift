internal import SealiteBase
internal import SealiteValues
internal import Synchronization

/// A time zone: an offset from UTC, or a zone of the system's time zone database.
enum Zone: Sendable {
    case fixed(Int)
    case file(ZoneFile)

    static let utc = Zone.fixed(0)

    /// A Boolean value that says whether the zone is UTC, or another one given by the offset 0.
    var isUTC: Bool { if case .fixed(0) = self { true } else { false } }

    /// Creates the zone of a text: `UTC`, `GMT`, an offset (`±hh`, `±hhmm` or `±hh:mm`), or a name in the system's
    /// time zone database. Throws `MongoError` for any other text. As in MongoDB, the digits of an offset aren't
    /// limited: `+5959` is an offset of 59 hours and 59 minutes.
    init(_ text: String) throws {
        if let offset = Self.offset(text) {
            self = .fixed(offset)
        } else if let file = Self.file(text) {
            self = .file(file)
        } else {
            throw MongoError(
                code: 40485,
                "A time zone is neither an offset, such as '+02:00', nor found in the system's time zone database.")
        }
    }

    /// The value of an absent argument `timezone`.
    static let absent = ["timezone": BSON.string("UTC")]

    /// Returns the zone of an operator's argument `timezone`; nil if it is null, undefined or missing.
    static func argument(_ value: BSON?) throws -> Zone? {
        try value.isNullish ? nil : Zone(requireString(value, 40517, "'timezone' must be a string"))
    }

    private static func offset(_ text: String) -> Int? {
        if text == "UTC" || text == "GMT" { return 0 }
        let bytes = Array(text.utf8)
        guard let sign = bytes.first, sign == 0x2B || sign == 0x2D else { return nil }
        var digits = Array(bytes.dropFirst())
        if digits.count == 5, digits[2] == 0x3A { digits.remove(at: 2) }
        guard digits.count == 2 || digits.count == 4, digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        let numbers = digits.map { Int($0 - 0x30) }
        let hours = numbers[0] * 10 + numbers[1]
        let minutes = numbers.count == 4 ? numbers[2] * 10 + numbers[3] : 0
        return (sign == 0x2D ? -1 : 1) * (hours * 3600 + minutes * 60)
    }

    // MARK: Files

    /// The maximum number of cached time zones, since their names come from queries and documents.
    private static let maximumFileCount = 64
    private static let files = Mutex<[String: ZoneFile]>([:])

    private static func file(_ name: String) -> ZoneFile? {
        if let known = files.withLock({ $0[name] }) { return known }
        guard let file = ZoneFile(named: name) else { return nil }
        files.withLock { files in
            if files.count >= maximumFileCount { files.removeAll() }
            files[name] = file
        }
        return file
    }

    // MARK: Times

    /// Returns the zone's offset from UTC in seconds at a time.
    func offset(at time: DateTime) -> Int {
        switch self {
        case .fixed(let offset): offset
        case .file(let file): file.offset(at: floorDivide(Int(time.milliseconds), by: 1000).quotient)
        }
    }

    /// Returns the zone's local time at a time.
    func calendar(_ time: DateTime) -> CalendarTime { CalendarTime(time, offset: offset(at: time)) }

    /// Returns the time at which the zone's local time is a number of milliseconds since 1970; nil if 64 bits can't
    /// represent it. For a local time that occurs twice, the first one is returned; a local time that a clock change
    /// skips is resolved with the offset before the change.
    func time(wall: Int) -> DateTime? {
        let near = DateTime(milliseconds: Int64(wall))
        let before = offset(at: DateTime(milliseconds: Int64(clamping: wall &- 86_400_000)))
        let after = offset(at: DateTime(milliseconds: Int64(clamping: wall &+ 86_400_000)))
        for offset in before == after ? [before] : [before, after] {
            guard let time = near.ahead(seconds: -offset) else { return nil }
            if self.offset(at: time) == offset { return time }
        }
        return near.ahead(seconds: -before)
    }
}

extension DateTime {
    /// Returns the time a number of seconds later; nil if 64 bits can't represent it.
    func ahead(seconds: Int) -> DateTime? {
        let (sum, isTooLarge) = milliseconds.addingReportingOverflow(Int64(seconds) * 1000)
        return isTooLarge ? nil : DateTime(milliseconds: sum)
    }

    /// Creates the time of a value that has one: a date, a timestamp or an ObjectID, whose seconds count as a signed
    /// number; nil for any other value.
    init?(of value: BSON?) {
        switch value {
        case .datetime(let date): self = date
        case .timestamp(let timestamp): self.init(milliseconds: Int64(timestamp.seconds) * 1000)
        case .objectID(let id): self.init(milliseconds: Int64(Int32(truncatingIfNeeded: id.seconds)) * 1000)
        default: return nil
        }
    }
}
