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

    /// Returns the local time of the parts of a date. Parts out of their range carry over: the 14th month is February
    /// of the next year.
    ///
    /// - Returns: the local time in milliseconds since 1970-01-01T00:00 local time; nil if 64 bits can't represent it.
    static func wall(
        year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0, millisecond: Int = 0
    ) -> Int? {
        let first = firstDay(ofMonth: year * 12 + month - 1)
        return wall(
            dayNumber: first + day - 1, hour: hour, minute: minute, second: second, millisecond: millisecond)
    }

    /// Returns the local time of a day of an ISO 8601 week and a time of day, in milliseconds since 1970-01-01T00:00
    /// local time; nil if 64 bits can't represent it. Parts out of their range carry over.
    static func wall(
        isoYear: Int, week: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0, millisecond: Int = 0
    ) -> Int? {
        // January 4th is in the first week.
        let fourth = CalendarDay(year: isoYear, month: 1, day: 4)
        let monday = fourth.number - fourth.weekday + 1
        return wall(
            dayNumber: monday + (week - 1) * 7 + day - 1, hour: hour, minute: minute, second: second,
            millisecond: millisecond)
    }

    private static func wall(dayNumber: Int, hour: Int, minute: Int, second: Int, millisecond: Int) -> Int? {
        let parts = [
            (dayNumber, CalendarDay.milliseconds), (hour, 3_600_000), (minute, 60_000), (second, 1000),
            (millisecond, 1),
        ]
        var sum = 0
        for (count, length) in parts {
            let (product, isTooLarge) = count.multipliedReportingOverflow(by: length)
            let (next, isOut) = sum.addingReportingOverflow(product)
            guard !isTooLarge, !isOut else { return nil }
            sum = next
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

    /// Returns the weekday of the argument `startOfWeek` of the operator `name`: Sunday if it isn't given, nil if it is
    /// null, undefined or missing.
    static func argument(_ value: BSON?, isGiven: Bool, _ name: String) throws -> Weekday? {
        guard isGiven else { return .sunday }
        if value.isNullish { return nil }
        guard case .string(let text) = value else {
            throw MongoError(code: 5439015, "\(name) takes a string as 'startOfWeek', not \(value.typeName).")
        }
        let names = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
        let lower = text.lowercased()
        guard let index = names.firstIndex(where: { $0 == lower || $0.prefix(3) == lower }) else {
            throw MongoError(code: 9, "\(name) takes a weekday, such as 'monday' or 'mon', as 'startOfWeek'.")
        }
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
        guard case .string(let text) = value else {
            throw MongoError(code: 5439013, "\(name) takes a string as 'unit', not \(value.typeName).")
        }
        guard let unit = CalendarUnit(rawValue: text) else {
            throw MongoError(
                code: 9,
                "\(name) takes millisecond, second, minute, hour, day, week, month, quarter or year as 'unit'.")
        }
        return unit
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

    /// A Boolean value that says whether the unit is counted on the calendar instead of in elapsed time.
    var isOfCalendar: Bool { self == .day || self == .week || months != nil }
}
