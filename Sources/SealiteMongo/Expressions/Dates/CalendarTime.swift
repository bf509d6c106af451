internal import SealiteBase
internal import SealiteValues

/// A date and a time of day as calendar and clock show them at an offset from UTC.
struct CalendarTime: Sendable {
    /// The local time in milliseconds since 1970-01-01T00:00 local time.
    let wall: Int
    /// The local time's offset from UTC in seconds, positive if local time is ahead of UTC.
    let offset: Int
    private let date: CalendarDay

    /// Creates the local time of a point in time at an offset from UTC in seconds; without the offset if 64 bits can't
    /// represent the local time.
    init(_ time: DateTime, offset: Int = 0) {
        let (wall, isTooLarge) = Int(time.milliseconds).addingReportingOverflow(offset * 1000)
        self.init(wall: isTooLarge ? Int(time.milliseconds) : wall, offset: isTooLarge ? 0 : offset)
    }

    /// Creates the fields of a local time that is given in milliseconds since 1970-01-01T00:00 local time.
    init(wall: Int, offset: Int) {
        (self.wall, self.offset) = (wall, offset)
        date = CalendarDay(milliseconds: wall)
    }

    private var millisecondOfDay: Int { floorDivide(wall, by: CalendarDay.milliseconds).remainder }

    var year: Int { date.year }
    var month: Int { date.month }
    var day: Int { date.day }
    var hour: Int { millisecondOfDay / 3_600_000 }
    var minute: Int { millisecondOfDay / 60_000 % 60 }
    var second: Int { millisecondOfDay / 1000 % 60 }
    var millisecond: Int { millisecondOfDay % 1000 }
    /// The number of days from 1970-01-01 to the date.
    var dayNumber: Int { date.number }
    /// The day of the year, from 1.
    var dayOfYear: Int { date.dayOfYear }
    /// The day of the week: 1 on Mondays, 7 on Sundays.
    var isoDayOfWeek: Int { date.weekday }
    /// The day of the week: 1 on Sundays, 7 on Saturdays.
    var dayOfWeek: Int { date.weekday % 7 + 1 }
    /// The number of Sundays from the first day of the year to the date, inclusive.
    var week: Int { (date.dayOfYear + 6 - date.weekday % 7) / 7 }
    var isoWeek: Int { date.week.number }
    var isoWeekYear: Int { date.week.year }
    /// The number of months from January of the year 0 to the date's month.
    var monthNumber: Int { date.monthNumber }

    /// Returns a day in days since 1970-01-01. Parts out of their range carry over: the 14th month is February of the
    /// next year.
    static func day(year: Int, month: Int, day: Int) -> Int { firstDay(ofMonth: year * 12 + month - 1) + day - 1 }

    /// Returns a day of an ISO 8601 week in days since 1970-01-01. Parts out of their range carry over.
    static func day(isoYear: Int, week: Int, day: Int) -> Int {
        // January 4th is in the first week.
        let fourth = CalendarDay(year: isoYear, month: 1, day: 4)
        let monday = fourth.number - fourth.weekday + 1
        return monday + (week - 1) * 7 + day - 1
    }

    /// Returns the local time of a day, in days since 1970-01-01, and of the hour, minute, second and millisecond in
    /// `clock`, which carry over if they are out of their range.
    ///
    /// - Returns: the local time in milliseconds since 1970-01-01T00:00 local time; nil if 64 bits can't represent it.
    static func wall(day: Int, clock: some Sequence<Int>) -> Int? {
        var (sum, isTooLarge) = day.multipliedReportingOverflow(by: CalendarDay.milliseconds)
        guard !isTooLarge else { return nil }
        for (count, length) in zip(clock, [3_600_000, 60_000, 1000, 1]) {
            let (product, isOut) = count.multipliedReportingOverflow(by: length)
            (sum, isTooLarge) = sum.addingReportingOverflow(product)
            guard !isOut, !isTooLarge else { return nil }
        }
        return sum
    }

    /// Returns the number of days in a month, which is given as a number of months since January of the year 0.
    static func daysOfMonth(_ monthNumber: Int) -> Int {
        firstDay(ofMonth: monthNumber + 1) - firstDay(ofMonth: monthNumber)
    }

    /// Returns the first day of a month, in days since 1970-01-01. The month is given as a number of months since
    /// January of the year 0.
    static func firstDay(ofMonth monthNumber: Int) -> Int { CalendarDay(monthNumber: monthNumber).number }
}

/// A day of the week, with its number in ISO 8601, as the first day of weeks.
enum Weekday: Int, Sendable {
    case monday = 1, tuesday, wednesday, thursday, friday, saturday, sunday

    /// Returns the weekday of the argument `startOfWeek` of the operator `name`; nil if it is null, undefined or
    /// missing.
    static func argument(_ value: BSON?, _ name: String) throws -> Weekday? {
        if value.isNullish { return nil }
        let text = try requireString(value, 5439015, "\(name) takes a string as 'startOfWeek'")
        if text == "sunday" { return .sunday }
        let names = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
        let lower = text.lowercased()
        let index = try require(
            names.firstIndex(where: { $0 == lower || $0.prefix(3) == lower }), 5_439_016,
            "\(name) takes a weekday, such as 'monday' or 'mon', as 'startOfWeek'.")
        return Weekday(rawValue: index + 1)
    }

    /// Returns the number of the week that a day is in, if weeks begin on this weekday. `number` is the day in days
    /// since 1970-01-01; weeks are counted from an arbitrary one.
    func week(ofDay number: Int) -> Int {
        // 1970-01-01 was a Thursday.
        floorDivide(number + 3 - (rawValue - 1), by: 7).quotient
    }
}

/// A unit in which dates are counted.
enum CalendarUnit: String, Sendable {
    case millisecond, second, minute, hour, day, week, month, quarter, year

    /// Returns the unit of the argument `unit` of the operator `name`; nil if it is null, undefined or missing.
    static func argument(_ value: BSON?, _ name: String) throws -> CalendarUnit? {
        if value.isNullish { return nil }
        let text = try requireString(value, 5439013, "\(name) takes a string as 'unit'")
        return try require(
            CalendarUnit(rawValue: text), 9,
            "\(name) takes millisecond, second, minute, hour, day, week, month, quarter or year as 'unit'.")
    }

    /// The length in milliseconds, for days and weeks without regard to clock changes; nil for months and longer units.
    var milliseconds: Int? {
        switch self {
        case .millisecond: 1
        case .second: 1000
        case .minute: 60_000
        case .hour: 3_600_000
        case .day: CalendarDay.milliseconds
        case .week: 7 * CalendarDay.milliseconds
        case .month, .quarter, .year: nil
        }
    }

    /// The length in months; nil for weeks and shorter units.
    var months: Int? {
        switch self {
        case .month: 1
        case .quarter: 3
        case .year: 12
        default: nil
        }
    }

    /// The number of units between the first and the last date that 64 bits of milliseconds can represent.
    var greatestDistance: UInt {
        let years: UInt = 584_942_417
        if let months { return years * 12 / UInt(months) }
        return UInt.max / UInt(milliseconds ?? 1)
    }

    /// A Boolean value that says whether the unit is counted on the calendar instead of in elapsed time.
    var isOfCalendar: Bool { self == .day || self == .week || months != nil }
}
