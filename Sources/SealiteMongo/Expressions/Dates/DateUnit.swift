internal import SealiteBase
internal import SealiteValues

/// A unit in which dates are counted.
enum DateUnit: String, Sendable {
    case millisecond, second, minute, hour, day, week, month, quarter, year

    /// Returns the unit of the argument `unit` of the operator `name`; nil if it is null, undefined or missing.
    static func argument(_ value: BSON?, _ name: String) throws -> DateUnit? {
        if value.isNullish { return nil }
        guard case .string(let text) = value else {
            throw MongoError(code: 5439013, "\(name) takes a string as 'unit', not \(value.typeName).")
        }
        guard let unit = DateUnit(rawValue: text) else {
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
