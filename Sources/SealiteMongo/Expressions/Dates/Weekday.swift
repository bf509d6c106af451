internal import SealiteBase
internal import SealiteValues

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
