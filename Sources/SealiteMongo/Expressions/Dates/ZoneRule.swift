internal import SealiteBase

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
