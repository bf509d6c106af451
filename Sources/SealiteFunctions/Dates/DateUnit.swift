internal import SealiteBase

/// The units of date arithmetic, with their names in queries.
enum DateUnit: String, CaseIterable {
    case millisecond, second, minute, hour, day, week, month, quarter, year, decade, century, millennium

    /// The length of a unit: a fixed time, or a number of months.
    private enum Length {
        case milliseconds(Int)
        case months(Int)
    }

    private var length: Length {
        switch self {
        case .millisecond: .milliseconds(1)
        case .second: .milliseconds(1000)
        case .minute: .milliseconds(60_000)
        case .hour: .milliseconds(3_600_000)
        case .day: .milliseconds(CalendarDay.milliseconds)
        case .week: .milliseconds(7 * CalendarDay.milliseconds)
        case .month: .months(1)
        case .quarter: .months(3)
        case .year: .months(12)
        case .decade: .months(120)
        case .century: .months(1200)
        case .millennium: .months(12000)
        }
    }

    /// A Boolean value that says whether the unit is counted on the calendar; false for hours and shorter units, which
    /// are counted in elapsed time.
    var isOfCalendar: Bool {
        switch self {
        case .millisecond, .second, .minute, .hour: false
        default: true
        }
    }

    /// Returns the number of starts of this unit between `start` and `end`, negative if the end is earlier: from
    /// December 31st to January 1st it is 1 for years. For weeks, it is that number for days divided by 7; for decades,
    /// centuries and millennia, that for years divided by 10, 100 or 1000. Each quotient is truncated toward zero.
    func count(from start: WallTime, to end: WallTime) -> Int {
        switch (self, length) {
        case (.week, _): DateUnit.day.count(from: start, to: end) / 7
        case (.decade, .months(let months)), (.century, .months(let months)), (.millennium, .months(let months)):
            DateUnit.year.count(from: start, to: end) / (months / 12)
        case (_, .months(let months)): end.day.monthNumber / months - start.day.monthNumber / months
        case (_, .milliseconds(let length)):
            floorDivide(end.milliseconds, by: length).quotient - floorDivide(start.milliseconds, by: length).quotient
        }
    }

    /// Returns the time `amount` units later; nil outside of the years 0 to 9999. Adding months or longer units keeps
    /// the day of the month, which carries over to the next month if it doesn't exist: a month after January 31st is
    /// March 3rd, or 2nd in a leap year.
    func add(_ amount: Int, to start: WallTime) -> WallTime? {
        switch length {
        case .milliseconds(let length):
            let (distance, isTooFar) = amount.multipliedReportingOverflow(by: length)
            let (milliseconds, isOut) = start.milliseconds.addingReportingOverflow(distance)
            return isTooFar || isOut ? nil : WallTime(milliseconds: milliseconds)
        case .months(let months):
            let (distance, isTooFar) = amount.multipliedReportingOverflow(by: months)
            guard !isTooFar, distance.magnitude <= 12 * 10_000 else { return nil }
            let day = start.day
            let end = CalendarDay(monthNumber: day.monthNumber + distance, day: day.day)
            return WallTime(end, millisecondOfDay: start.millisecondOfDay)
        }
    }

    /// Returns the last time, at or before a given one, at which this unit starts; nil if that is before the year 0.
    /// Weeks start on Mondays, decades in years that end in 0.
    func start(of time: WallTime) -> WallTime? {
        switch (self, length) {
        case (.week, _):
            let day = time.day
            return WallTime(milliseconds: (day.number - day.weekday + 1) * CalendarDay.milliseconds)
        case (_, .milliseconds(let length)):
            return WallTime(milliseconds: floorDivide(time.milliseconds, by: length).quotient * length)
        case (_, .months(let months)):
            let first = CalendarDay(monthNumber: time.day.monthNumber / months * months)
            return WallTime(first, millisecondOfDay: 0)
        }
    }
}

extension DateUnit {
    /// Creates the unit with a name, in any case; nil for an unknown name.
    init?(name: borrowing Span<UInt8>) {
        guard let word = lowercasedWord(name) else { return nil }
        self.init(rawValue: word)
    }
}

/// Returns ASCII text of at most 15 bytes with its letters in lower case; nil for longer text, and for text with bytes
/// that aren't ASCII.
func lowercasedWord(_ bytes: borrowing Span<UInt8>) -> String? {
    // Strings of up to 15 bytes aren't allocated on the heap.
    guard bytes.count <= 15 else { return nil }
    var word = ""
    for index in 0..<bytes.count {
        let byte = bytes[index]
        guard byte < 0x80 else { return nil }
        word.unicodeScalars.append(Unicode.Scalar((0x41...0x5A).contains(byte) ? byte | 0x20 : byte))
    }
    return word
}

/// The parts of a date that `DATE_PART_STR` and `DATE_PART_MILLIS` return: the units of dates, the days of the year and
/// of the week, the weeks of the ISO calendar, and the time zone.
enum DateField {
    case unit(DateUnit)
    case other(Name)

    enum Name: String {
        case dayOfYear = "day_of_year"
        case dayOfYearShort = "doy"
        case dayOfWeek = "day_of_week"
        case dayOfWeekShort = "dow"
        case isoWeek = "iso_week"
        case isoYear = "iso_year"
        case isoWeekday = "iso_dow"
        case timezone
        case timezoneHour = "timezone_hour"
        case timezoneMinute = "timezone_minute"
    }

    /// Creates the field with a name, in any case; nil for an unknown name.
    init?(name: borrowing Span<UInt8>) {
        if let unit = DateUnit(name: name) {
            self = .unit(unit)
        } else if let word = lowercasedWord(name), let other = Name(rawValue: word) {
            self = .other(other)
        } else {
            return nil
        }
    }

    /// Returns the value of the field for a time in a zone that is `offset` minutes ahead of UTC; nil for a field of
    /// the zone if the offset is nil.
    func value(of time: WallTime, offset: Int?) -> Int? {
        switch self {
        case .unit(let unit): Self.value(of: unit, time)
        case .other(let name): Self.value(of: name, time.day, offset)
        }
    }

    private static func value(of unit: DateUnit, _ time: WallTime) -> Int {
        switch unit {
        case .millisecond: time.millisecond
        case .second: time.second
        case .minute: time.minute
        case .hour: time.hour
        case .day: time.day.day
        case .week: (time.day.dayOfYear + 6) / 7
        case .month: time.day.month
        case .quarter: (time.day.month + 2) / 3
        case .year: time.day.year
        case .decade: time.day.year / 10
        case .century: time.day.year / 100 + 1
        case .millennium: time.day.year / 1000 + 1
        }
    }

    private static func value(of name: Name, _ day: CalendarDay, _ offset: Int?) -> Int? {
        switch name {
        case .dayOfYear, .dayOfYearShort: day.dayOfYear
        case .dayOfWeek, .dayOfWeekShort: day.weekday % 7
        case .isoWeek: day.week.number
        case .isoYear: day.week.year
        case .isoWeekday: day.weekday
        case .timezone: offset.map { $0 * 60 }
        case .timezoneHour: offset.map { $0 / 60 }
        case .timezoneMinute: offset.map { $0 % 60 }
        }
    }
}
