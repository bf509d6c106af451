internal import SealiteFunctions
internal import SealiteValues

/// A unit in which dates are counted.
enum DateUnit: String, Sendable {
    case millisecond, second, minute, hour, day, week, month, quarter, year

    /// Returns the unit of an argument; nil for null.
    static func argument(_ value: BSON?, _ name: String) throws -> DateUnit? {
        if value.isNullish { return nil }
        guard case .string(let text) = value else {
            throw MongoError(code: 5439013, "\(name) takes a string as 'unit', not \(value.typeName).")
        }
        guard let unit = DateUnit(rawValue: text) else { throw MongoError(code: 9, "\(name): unknown 'unit'.") }
        return unit
    }

    /// The length in milliseconds, for days and weeks that of the calendar without clock changes; nil for months and
    /// longer units.
    var milliseconds: Int? {
        switch self {
        case .millisecond: 1
        case .second: 1000
        case .minute: 60_000
        case .hour: 3_600_000
        case .day: CalendarTime.millisecondsPerDay
        case .week: 7 * CalendarTime.millisecondsPerDay
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

/// A day on which weeks begin.
enum Weekday: Int, Sendable {
    case monday = 1, tuesday, wednesday, thursday, friday, saturday, sunday

    /// Returns the weekday of an argument, Sunday by default; nil for null.
    static func argument(_ value: BSON?, isGiven: Bool, _ name: String) throws -> Weekday? {
        guard isGiven else { return .sunday }
        if value.isNullish { return nil }
        guard case .string(let text) = value else {
            throw MongoError(code: 5439015, "\(name) takes a string as 'startOfWeek', not \(value.typeName).")
        }
        let names = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
        let lower = text.lowercased()
        guard let index = names.firstIndex(where: { $0 == lower || $0.prefix(3) == lower }) else {
            throw MongoError(code: 9, "\(name): unknown 'startOfWeek'.")
        }
        return Weekday(rawValue: index + 1)
    }

    /// Returns a number of the week that a day is in, counted from an arbitrary week.
    func week(ofDay number: Int) -> Int {
        // 1970-01-01 was a Thursday.
        floorDivide(number + 3 - (rawValue - 1), by: 7).quotient
    }
}
