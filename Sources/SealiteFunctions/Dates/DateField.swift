internal import SealiteBase

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
