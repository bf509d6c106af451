/// A date, parsed from a string of ISO 8601: `YYYY-MM-DD[(T| )HH:MM[:SS[.f…]][Z|±HH[:]MM]]`, or its time alone, which
/// is then on 2000-01-01.
struct DateText {
    private(set) var time: WallTime
    /// The zone's offset from UTC in minutes; nil if the string has no zone.
    private(set) var offset: Int?
    /// The separator of date and time, T or a space; nil for a date without time.
    private(set) var separator: UInt8?
    /// The range of the zone in the string, in bytes; empty if it has none.
    private(set) var zone: Range<Int>

    /// Creates the date of a string; nil for an invalid string, and for a time alone unless `allowsTimeAlone` is true.
    init?(_ text: borrowing Span<UInt8>, allowsTimeAlone: Bool = false) {
        var reader = DateReader()
        var day = CalendarDay(year: 2000, month: 1, day: 1)
        separator = 0x54
        if let found = reader.day(text) {
            day = found
            separator = reader.separator(text)
            if reader.isAtEnd(text) { separator = nil } else if separator == nil { return nil }
        } else {
            guard allowsTimeAlone else { return nil }
            reader = DateReader()
        }
        var millisecondOfDay = 0
        if separator != nil {
            guard let found = reader.millisecondOfDay(text) else { return nil }
            millisecondOfDay = found
        }
        guard let time = WallTime(day, millisecondOfDay: millisecondOfDay) else { return nil }
        self.time = time
        let start = reader.offset
        if !reader.isAtEnd(text) {
            guard let found = reader.zone(text) else { return nil }
            offset = found
        }
        zone = start..<reader.offset
        reader.skipSpace(text)
        guard reader.isAtEnd(text) else { return nil }
    }

    /// The date in milliseconds since 1970 in UTC. A date without a zone is in the device's zone.
    var utcMilliseconds: Int { time.milliseconds - (offset ?? DeviceZone.offset(atWall: time)) * 60_000 }
}

/// A parser of the parts of a date in sequence. The text is an argument of each call.
private struct DateReader {
    private(set) var offset = 0

    func isAtEnd(_ text: borrowing Span<UInt8>) -> Bool { offset == text.count }

    mutating func skipSpace(_ text: borrowing Span<UInt8>) {
        while offset < text.count, Self.isSpace(text[offset]) { offset += 1 }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    /// Parses `YYYY-MM-DD`; returns nil if there is none, or the day doesn't exist in the calendar.
    mutating func day(_ text: borrowing Span<UInt8>) -> CalendarDay? {
        guard let year = number(4, text), skip(0x2D, text), let month = number(2, text), skip(0x2D, text),
            let day = number(2, text)
        else { return nil }
        let date = CalendarDay(year: year, month: month, day: day)
        return date.exists ? date : nil
    }

    /// Skips white space and letters T between date and time, and returns a T if there was one, otherwise a space; nil
    /// if there was neither.
    mutating func separator(_ text: borrowing Span<UInt8>) -> UInt8? {
        var found: UInt8?
        while offset < text.count {
            if text[offset] == 0x54 {
                found = 0x54
            } else if Self.isSpace(text[offset]) {
                found = found ?? 0x20
            } else {
                break
            }
            offset += 1
        }
        return found
    }

    /// Parses `HH:MM[:SS[.f…]]` and the white space after it, and returns the milliseconds since midnight; nil if there
    /// is no time. Hour 24 is the first hour of the next day.
    mutating func millisecondOfDay(_ text: borrowing Span<UInt8>) -> Int? {
        guard let hour = number(2, text), hour <= 24, skip(0x3A, text), let minute = number(2, text), minute <= 59
        else { return nil }
        var milliseconds = (hour * 60 + minute) * 60_000
        if skip(0x3A, text) {
            guard let second = number(2, text), second <= 59 else { return nil }
            milliseconds += second * 1000
            if offset + 1 < text.count, text[offset] == 0x2E, Self.digit(text[offset + 1]) != nil {
                offset += 1
                milliseconds += fraction(text)
            }
        }
        skipSpace(text)
        return milliseconds
    }

    /// Parses the digits after a decimal point of seconds, and returns milliseconds, rounded by the fourth digit.
    private mutating func fraction(_ text: borrowing Span<UInt8>) -> Int {
        var (value, count) = (0, 0)
        while offset < text.count, let digit = Self.digit(text[offset]) {
            if count < 3 { value = value * 10 + digit } else if count == 3, digit >= 5 { value += 1 }
            (offset, count) = (offset + 1, count + 1)
        }
        for _ in 0..<max(0, 3 - count) { value *= 10 }
        return value
    }

    /// Parses the zone `Z` or `±HH[:]MM`, and returns its offset from UTC in minutes; nil if there is none.
    mutating func zone(_ text: borrowing Span<UInt8>) -> Int? {
        if skip(0x5A, text) || skip(0x7A, text) { return 0 }
        let isWest = skip(0x2D, text)
        guard isWest || skip(0x2B, text), let hour = number(2, text), hour <= 14 else { return nil }
        _ = skip(0x3A, text)
        guard let minute = number(2, text), minute <= 59 else { return nil }
        return isWest ? -(hour * 60 + minute) : hour * 60 + minute
    }

    private static func digit(_ byte: UInt8) -> Int? { (0x30...0x39).contains(byte) ? Int(byte - 0x30) : nil }

    private mutating func number(_ digits: Int, _ text: borrowing Span<UInt8>) -> Int? {
        guard text.count - offset >= digits else { return nil }
        var value = 0
        for index in offset..<(offset + digits) {
            guard let digit = Self.digit(text[index]) else { return nil }
            value = value * 10 + digit
        }
        offset += digits
        return value
    }

    private mutating func skip(_ byte: UInt8, _ text: borrowing Span<UInt8>) -> Bool {
        guard offset < text.count, text[offset] == byte else { return false }
        offset += 1
        return true
    }
}
