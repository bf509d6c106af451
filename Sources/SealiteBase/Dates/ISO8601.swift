/// Texts of dates in ISO 8601: `YYYY-MM-DD`, optionally followed by `HH:MM`, `:SS`, a fraction of a second and a zone,
/// `Z` or `±HH:MM`. The languages differ in what else they accept, which a ``Dialect`` says.
package enum ISO8601 {
    /// What a language accepts as the text of a date. `Fixtures/Dates/texts.json` shows the differences by examples.
    package struct Dialect: Sendable {
        /// Whether a year may have a sign, and then four to nine digits; otherwise it has four digits and no sign.
        var hasSignedYears = false
        /// Whether white space may stand around the time of day and the zone, and any number of white space and letters
        /// T between day and time; otherwise exactly one T or space stands there.
        var hasFreeSpaces = false
        /// Whether a lowercase t may stand between day and time.
        var hasSmallT = false
        /// Whether the zone UTC may be a lowercase z.
        var hasSmallZ = true
        /// The times of day with the hour 24 that are accepted, as the first hour of the next day.
        var hour24 = Hour24.none
        /// The largest second: 60 accepts leap seconds, as the second that follows.
        var lastSecond = 59
        /// Whether the fraction of a second may follow a comma instead of a point.
        var hasComma = true
        /// The largest number of digits of the fraction.
        var maximumFraction = Int.max
        /// Whether the fourth digit of the fraction rounds the milliseconds up; otherwise they are truncated.
        var roundsMilliseconds = false
        /// The largest hour of a zone's offset from UTC.
        var lastZoneHour = 23
        /// The largest minute of a zone's offset from UTC.
        var lastZoneMinute = 59
        /// Which zones without minutes are accepted.
        var zoneMinutes = ZoneMinutes.optional

        enum Hour24: Sendable {
            case none, midnight, all
        }

        enum ZoneMinutes: Sendable {
            /// None: `+HH:MM` and `+HHMM` are accepted.
            case required
            /// `+HH` is accepted, too.
            case optional
            /// `+HH` and `+HH:` are accepted, too.
            case optionalAfterColon
        }

        /// The dialect of the getters of documents.
        package static let documents = Dialect(
            hasSmallZ: false, hour24: .midnight, lastSecond: 60, maximumFraction: 17, lastZoneHour: 99,
            lastZoneMinute: 99, zoneMinutes: .optionalAfterColon)
        /// The dialect of Extended JSON and of dates in stored values.
        package static let extendedJSON = Dialect(hasSignedYears: true, hasSmallT: true)
        /// The dialect of the date functions of SQL++.
        package static let queries = Dialect(
            hasFreeSpaces: true, hour24: .all, hasComma: false, roundsMilliseconds: true, lastZoneHour: 14,
            zoneMinutes: .required)
    }

    /// The parts of a date's text.
    package struct Parts: Sendable {
        /// The day, which exists in the calendar; 2000-01-01 for a time alone.
        package fileprivate(set) var day = CalendarDay(year: 2000, month: 1, day: 1)
        /// The separator of day and time, a T or a space; nil for a day alone.
        package fileprivate(set) var separator: UInt8?
        /// The time of day in milliseconds, a day's length or more for a time after 23:59:59.999.
        package fileprivate(set) var millisecondOfDay = 0
        /// The range of the digits of the fraction of a second in the text, in bytes; empty if it has none.
        package fileprivate(set) var fraction = 0..<0
        /// The zone's offset from UTC in minutes; nil if the text has no zone.
        package fileprivate(set) var offset: Int?
        /// The range of the zone in the text, in bytes; empty if it has none.
        package fileprivate(set) var zone = 0..<0
    }

    /// Parses a text by a dialect.
    ///
    /// - Parameters:
    ///   - text: the text's UTF-8 bytes.
    ///   - dialect: what is accepted.
    ///   - takesTimeAlone: true to accept also a time of day without a day.
    /// - Returns: the parts; nil if the dialect doesn't accept the text.
    package static func parts(
        of text: borrowing Span<UInt8>, _ dialect: Dialect, takesTimeAlone: Bool = false
    ) -> Parts? {
        var parts = Parts()
        var scanner = Scanner()
        if let day = scanner.day(text, dialect) {
            parts.day = day
            guard !scanner.isAtEnd(text) else { return parts }
            guard let separator = scanner.separator(text, dialect) else { return nil }
            if dialect.hasFreeSpaces, scanner.isAtEnd(text) { return parts }
            parts.separator = separator
        } else {
            guard takesTimeAlone else { return nil }
            scanner = Scanner()
            parts.separator = UInt8(ascii: "T")
        }
        guard scanner.time(text, dialect, &parts) else { return nil }
        scanner.skipSpaces(text, dialect)
        guard !scanner.isAtEnd(text) else { return parts }
        let start = scanner.offset
        guard let offset = scanner.zone(text, dialect) else { return nil }
        (parts.offset, parts.zone) = (offset, start..<scanner.offset)
        scanner.skipSpaces(text, dialect)
        return scanner.isAtEnd(text) ? parts : nil
    }

    /// Returns the text of a time in milliseconds since 1970, in UTC: `2026-11-21T04:06:03.123Z`. Years before 0 and
    /// after 9999 have a sign and at least four digits. If `hasFraction` is false, the milliseconds are left out if
    /// they are 0.
    package static func text(milliseconds: Int, hasFraction: Bool = true) -> String {
        let (number, time) = floorDivide(milliseconds, by: CalendarDay.milliseconds)
        let day = CalendarDay(number: number)
        var text: [UInt8] = []
        text.reserveCapacity(24)
        func put(_ number: Int, _ width: Int, _ mark: Unicode.Scalar) {
            let start = text.count
            var rest = number.magnitude
            while rest > 0 || text.count - start < width {
                text.append(UInt8(0x30 + rest % 10))
                rest /= 10
            }
            text[start...].reverse()
            text.append(UInt8(ascii: mark))
        }
        if !(0...9999).contains(day.year) { text.append(UInt8(ascii: day.year < 0 ? "-" : "+")) }
        put(day.year, 4, "-")
        put(day.month, 2, "-")
        put(day.day, 2, "T")
        put(time / 3_600_000, 2, ":")
        put(time / 60_000 % 60, 2, ":")
        let isFractionDue = hasFraction || time % 1000 != 0
        put(time / 1000 % 60, 2, isFractionDue ? "." : "Z")
        if isFractionDue { put(time % 1000, 3, "Z") }
        return String(decoding: text, as: UTF8.self)
    }
}

/// A parser of the parts of a date in sequence. The text is an argument of each call.
private struct Scanner {
    private(set) var offset = 0

    func isAtEnd(_ text: borrowing Span<UInt8>) -> Bool { offset == text.count }

    /// Parses a day; returns nil if there is none, or it doesn't exist in the calendar.
    mutating func day(_ text: borrowing Span<UInt8>, _ dialect: ISO8601.Dialect) -> CalendarDay? {
        var (sign, width) = (1, 4)
        if dialect.hasSignedYears {
            let isNegative = skip(UInt8(ascii: "-"), text)
            if isNegative || skip(UInt8(ascii: "+"), text) {
                var end = offset
                while end < text.count, Self.digit(text[end]) < 10 { end += 1 }
                (sign, width) = (isNegative ? -1 : 1, end - offset)
                guard (4...9).contains(width) else { return nil }
            }
        }
        guard let year = number(width, text), skip(UInt8(ascii: "-"), text), let month = number(2, text),
            skip(UInt8(ascii: "-"), text), let day = number(2, text)
        else { return nil }
        let date = CalendarDay(year: sign * year, month: month, day: day)
        return date.exists ? date : nil
    }

    /// Skips what stands between day and time; returns a T if there was one, otherwise a space; nil if there was
    /// neither.
    mutating func separator(_ text: borrowing Span<UInt8>, _ dialect: ISO8601.Dialect) -> UInt8? {
        var found: UInt8?
        while offset < text.count, found == nil || dialect.hasFreeSpaces {
            let byte = text[offset]
            if byte == UInt8(ascii: "T") || dialect.hasSmallT && byte == UInt8(ascii: "t") {
                found = UInt8(ascii: "T")
            } else if byte == UInt8(ascii: " ") || dialect.hasFreeSpaces && Self.isSpace(byte) {
                found = found ?? UInt8(ascii: " ")
            } else {
                break
            }
            offset += 1
        }
        return found
    }

    /// Parses `HH:MM[:SS[.f…]]`; returns false if there is no time.
    mutating func time(
        _ text: borrowing Span<UInt8>, _ dialect: ISO8601.Dialect, _ parts: inout ISO8601.Parts
    ) -> Bool {
        guard let hour = number(2, text), hour <= 24, skip(UInt8(ascii: ":"), text), let minute = number(2, text),
            minute <= 59
        else { return false }
        var (second, isZero) = (0, true)
        parts.millisecondOfDay = (hour * 60 + minute) * 60_000
        if skip(UInt8(ascii: ":"), text) {
            guard let found = number(2, text), found <= dialect.lastSecond else { return false }
            second = found
            parts.millisecondOfDay += second * 1000
            if skip(UInt8(ascii: "."), text) || dialect.hasComma && skip(UInt8(ascii: ","), text) {
                let start = offset
                parts.millisecondOfDay += fraction(text, dialect, &isZero)
                parts.fraction = start..<offset
                guard !parts.fraction.isEmpty, parts.fraction.count <= dialect.maximumFraction else { return false }
            }
        }
        guard hour == 24 else { return true }
        switch dialect.hour24 {
        case .none: return false
        case .midnight: return minute == 0 && second == 0 && isZero
        case .all: return true
        }
    }

    /// Parses the digits of a fraction of a second, and returns it in milliseconds. Sets `isZero` to false if one of
    /// the digits isn't 0.
    private mutating func fraction(
        _ text: borrowing Span<UInt8>, _ dialect: ISO8601.Dialect, _ isZero: inout Bool
    ) -> Int {
        var (value, count) = (0, 0)
        while offset < text.count {
            let digit = Self.digit(text[offset])
            guard digit < 10 else { break }
            if count < 3 {
                value = value &* 10 &+ Int(digit)
            } else if count == 3, digit >= 5, dialect.roundsMilliseconds {
                value += 1
            }
            if digit != 0 { isZero = false }
            (offset, count) = (offset &+ 1, count &+ 1)
        }
        while count < 3 { (value, count) = (value * 10, count + 1) }
        return value
    }

    /// Parses a zone, and returns its offset from UTC in minutes, positive to the east; nil if there is none.
    mutating func zone(_ text: borrowing Span<UInt8>, _ dialect: ISO8601.Dialect) -> Int? {
        if skip(UInt8(ascii: "Z"), text) || dialect.hasSmallZ && skip(UInt8(ascii: "z"), text) { return 0 }
        let isWest = skip(UInt8(ascii: "-"), text)
        guard isWest || skip(UInt8(ascii: "+"), text), let hour = number(2, text), hour <= dialect.lastZoneHour else {
            return nil
        }
        var minute = 0
        let hasColon = skip(UInt8(ascii: ":"), text)
        let mayEnd = dialect.zoneMinutes != .required && (!hasColon || dialect.zoneMinutes == .optionalAfterColon)
        if !mayEnd || !isAtEnd(text) {
            guard let found = number(2, text), found <= dialect.lastZoneMinute else { return nil }
            minute = found
        }
        return isWest ? -(hour * 60 + minute) : hour * 60 + minute
    }

    mutating func skipSpaces(_ text: borrowing Span<UInt8>, _ dialect: ISO8601.Dialect) {
        guard dialect.hasFreeSpaces else { return }
        while offset < text.count, Self.isSpace(text[offset]) { offset += 1 }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    /// Returns the value of a decimal digit; 10 or more for another byte.
    @inline(__always)
    private static func digit(_ byte: UInt8) -> UInt8 { byte &- 0x30 }

    /// Parses exactly `digits` digits, at most 9.
    @inline(__always)
    private mutating func number(_ digits: Int, _ text: borrowing Span<UInt8>) -> Int? {
        let end = offset &+ digits
        guard text.count >= end else { return nil }
        var (value, index) = (0, offset)
        while index < end {
            let digit = Self.digit(text[index])
            guard digit < 10 else { return nil }
            value = value &* 10 &+ Int(digit)
            index &+= 1
        }
        offset = end
        return value
    }

    @inline(__always)
    private mutating func skip(_ byte: UInt8, _ text: borrowing Span<UInt8>) -> Bool {
        guard offset < text.count, text[offset] == byte else { return false }
        offset &+= 1
        return true
    }
}
