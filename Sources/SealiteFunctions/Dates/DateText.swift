internal import SealiteBase

/// A date, parsed from a string of ISO 8601: `YYYY-MM-DD[(T| )HH:MM[:SS[.f…]][Z|±HH[:]MM]]`, or its time alone, which
/// is then on 2000-01-01.
struct DateText {
    let time: WallTime
    private let parts: ISO8601.Parts

    /// Creates the date of a string; nil for an invalid string, and for a time alone unless `allowsTimeAlone` is true.
    init?(_ text: borrowing Span<UInt8>, allowsTimeAlone: Bool = false) {
        guard let parts = ISO8601.parts(of: text, .queries, takesTimeAlone: allowsTimeAlone),
            let time = WallTime(parts.day, millisecondOfDay: parts.millisecondOfDay)
        else { return nil }
        (self.time, self.parts) = (time, parts)
    }

    /// The zone's offset from UTC in minutes; nil if the string has no zone.
    var offset: Int? { parts.offset }
    /// The separator of date and time, T or a space; nil for a date without time.
    var separator: UInt8? { parts.separator }
    /// The range of the zone in the string, in bytes; empty if it has none.
    var zone: Range<Int> { parts.zone }

    /// The date in milliseconds since 1970 in UTC. A date without a zone is in the device's zone.
    var utcMilliseconds: Int { time.milliseconds - (offset ?? DeviceZone.offset(atWall: time)) * 60_000 }
}

/// A date format: `YYYY-MM-DDTHH:MM:SS[.mmm]` with `Z` or `±HHMM`, or only those components of it that the format
/// argument of a date function specifies.
struct DateFormat: Equatable {
    private var hasDate = true
    private var hasTime = true
    /// A Boolean value that says whether milliseconds other than 0 are written.
    private var hasMilliseconds = true
    private var separator: UInt8 = 0x54
    private var zone = Zone.plain

    private enum Zone {
        case none, plain, colon
    }

    /// The maximum size of a formatted date in bytes.
    static let maximumByteCount = 32

    static let standard = DateFormat()

    private init() {}

    /// Parses the format argument of a date function, given by directives, such as `%F` or `%FT%T%z`, or by an example,
    /// such as `1111-11-11` or `11:11:11.111Z`; any other text yields `standard`, the complete format.
    init(_ text: borrowing Span<UInt8>) {
        let isTokens = text.count > 0 && text[0] == 0x25
        self = (isTokens ? Self.tokens(text) : Self.example(text)) ?? .standard
    }

    /// Creates a format without a zone, with the separator between date and time of a parsed date; without a time if
    /// the parsed date has none.
    init(like text: DateText) {
        zone = .none
        hasTime = text.separator != nil
        separator = text.separator ?? 0x54
    }

    // MARK: Reading

    private static func tokens(_ text: borrowing Span<UInt8>) -> DateFormat? {
        var format = DateFormat()
        var offset = 0
        format.hasDate =
            skip("%F", text, &offset) || skip("%Y-%m-%d", text, &offset) || skip("%Y/%m/%d", text, &offset)
        guard format.skipSeparator(text, &offset) else { return nil }
        guard format.hasTime else { return format }
        if !skip("%T", text, &offset) {
            guard skip("%H:%M:%S", text, &offset) else { return nil }
            format.hasMilliseconds = false
        }
        if skip("%s", text, &offset) || skip("%.s", text, &offset) { format.hasMilliseconds = true }
        format.zone = skip("%z", text, &offset) ? .plain : skip("%Ez", text, &offset) ? .colon : .none
        return offset == text.count ? format : nil
    }

    /// Returns the format of an example, in which any digit or letter represents a digit, so that `YYYY-MM-DD` is an
    /// example too; nil for any other text.
    private static func example(_ text: borrowing Span<UInt8>) -> DateFormat? {
        var format = DateFormat()
        var offset = 0
        format.hasDate = match("0000-00-00", text, &offset) || match("0000/00/00", text, &offset)
        guard format.skipSeparator(text, &offset) else { return nil }
        guard format.hasTime else { return format }
        guard match("00:00:00", text, &offset) else { return nil }
        format.hasMilliseconds = match(".000", text, &offset)
        if skip("Z", text, &offset) || match("+0000", text, &offset) || match("-0000", text, &offset) {
            format.zone = .plain
        } else {
            let hasColon = match("+00:00", text, &offset) || match("-00:00", text, &offset)
            format.zone = hasColon ? .colon : .none
        }
        return offset == text.count ? format : nil
    }

    /// Skips the separator after the date, if the format has one; without more text, it has no time. Returns false if
    /// something else than a separator is there.
    private mutating func skipSeparator(_ text: borrowing Span<UInt8>, _ offset: inout Int) -> Bool {
        guard hasDate else { return true }
        hasTime = offset < text.count
        guard hasTime else { return true }
        separator = text[offset]
        return Self.skip("T", text, &offset) || Self.skip(" ", text, &offset)
    }

    private static func skip(_ word: StaticString, _ text: borrowing Span<UInt8>, _ offset: inout Int) -> Bool {
        find(word, text, &offset) { $0 == $1 }
    }

    private static func match(_ shape: StaticString, _ text: borrowing Span<UInt8>, _ offset: inout Int) -> Bool {
        find(shape, text, &offset) { expected, byte in
            expected == 0x30
                ? (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) : expected == byte
        }
    }

    private static func find(
        _ pattern: StaticString, _ text: borrowing Span<UInt8>, _ offset: inout Int, _ fits: (UInt8, UInt8) -> Bool
    ) -> Bool {
        let count = pattern.utf8CodeUnitCount
        guard text.count - offset >= count else { return false }
        for index in 0..<count where unsafe !fits(pattern.utf8Start[index], text[offset + index]) { return false }
        offset += count
        return true
    }

    // MARK: Writing

    /// Appends a local time, in a zone that is `offset` minutes ahead of UTC, in this format.
    func append(_ time: WallTime, offset: Int, to output: inout OutputSpan<UInt8>) {
        if hasDate {
            let day = time.day
            Self.append(day.year, digits: 4, to: &output)
            output.append(0x2D)
            Self.append(day.month, digits: 2, to: &output)
            output.append(0x2D)
            Self.append(day.day, digits: 2, to: &output)
        }
        guard hasTime else { return }
        if hasDate { output.append(separator) }
        Self.append(time.hour, digits: 2, to: &output)
        output.append(0x3A)
        Self.append(time.minute, digits: 2, to: &output)
        output.append(0x3A)
        Self.append(time.second, digits: 2, to: &output)
        if hasMilliseconds, time.millisecond != 0 {
            output.append(0x2E)
            Self.append(time.millisecond, digits: 3, to: &output)
        }
        appendZone(offset, to: &output)
    }

    private func appendZone(_ offset: Int, to output: inout OutputSpan<UInt8>) {
        guard zone != .none else { return }
        guard offset != 0 else { return output.append(0x5A) }
        output.append(offset < 0 ? 0x2D : 0x2B)
        Self.append(abs(offset) / 60, digits: 2, to: &output)
        if zone == .colon { output.append(0x3A) }
        Self.append(abs(offset) % 60, digits: 2, to: &output)
    }

    private static func append(_ number: Int, digits: Int, to output: inout OutputSpan<UInt8>) {
        var unit = 1
        for _ in 1..<digits { unit *= 10 }
        while unit > 0 {
            output.append(UInt8(truncatingIfNeeded: 0x30 + number / unit % 10))
            unit /= 10
        }
    }
}
