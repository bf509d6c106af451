/// A day and a time of the proleptic Gregorian calendar in UTC, without leap seconds.
package struct CivilTime: Sendable, Equatable {
    /// The year; 0 is the year before 1.
    package var year: Int64
    /// The month from 1.
    package var month: Int64
    /// The day of the month from 1.
    package var day: Int64
    /// The milliseconds since midnight.
    package var milliseconds: Int64

    /// The number of milliseconds in a day.
    package static let millisecondsPerDay: Int64 = 86_400_000

    /// Creates the day and time of a number of milliseconds since 1970-01-01T00:00:00Z, negative for an earlier time.
    package init(milliseconds: Int64) {
        let day = milliseconds.floorDivided(by: Self.millisecondsPerDay)
        self.milliseconds = day.remainder
        // Days are counted from 0000-03-01 in eras of 400 years; years begin in March, so that a leap day is a year's
        // last day.
        let (era, dayOfEra) = (day.quotient + 719_468).floorDivided(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        self.day = dayOfYear - (153 * shifted + 2) / 5 + 1
        month = shifted < 10 ? shifted + 3 : shifted - 9
        year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    }

    /// Returns the number of days from 1970-01-01 to a day, negative for an earlier day; the year must be below 10⁹,
    /// and the month from 1 to 12.
    package static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let (era, yearOfEra) = (month <= 2 ? year - 1 : year).floorDivided(by: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}

extension Int64 {
    /// Returns the quotient, rounded down, and the remainder, which isn't negative; the divisor must be positive.
    package func floorDivided(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
