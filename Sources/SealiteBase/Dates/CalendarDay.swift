/// A day of the proleptic Gregorian calendar, which has a year 0.
package struct CalendarDay: Sendable, Equatable {
    package var year: Int
    /// The month, from 1 to 12.
    package var month: Int
    /// The day of the month, from 1 to 31; in conversions to a number of days, other values carry over to other months.
    package var day: Int

    @inlinable
    package init(year: Int, month: Int, day: Int) { (self.year, self.month, self.day) = (year, month, day) }

    /// Creates the day that is `number` days after 1970-01-01.
    @inlinable
    package init(number: Int) {
        // In this calculation, years begin in March, so that the leap day is a year's last day; a cycle of the calendar
        // has 400 such years.
        let (cycle, dayOfCycle) = floorDivide(number + Self.daysFromMarchOfYear0, by: Self.daysOfCycle)
        let yearOfCycle =
            (dayOfCycle - dayOfCycle / 1460 + dayOfCycle / 36524 - dayOfCycle / (Self.daysOfCycle - 1)) / 365
        let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        year = yearOfCycle + cycle * 400 + (month <= 2 ? 1 : 0)
    }

    /// Creates the day of a number of milliseconds since 1970-01-01T00:00.
    @inlinable
    package init(milliseconds: Int) { self.init(number: floorDivide(milliseconds, by: Self.milliseconds).quotient) }

    /// Creates a day of a month that is given as a number of months since January of the year 0.
    @inlinable
    package init(monthNumber: Int, day: Int = 1) {
        let (year, month) = floorDivide(monthNumber, by: 12)
        self.init(year: year, month: month + 1, day: day)
    }

    /// The number of days since 1970-01-01.
    @inlinable
    package var number: Int {
        let (cycle, yearOfCycle) = floorDivide(month <= 2 ? year - 1 : year, by: 400)
        let monthFromMarch = month > 2 ? month - 3 : month + 9
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        let dayOfCycle = yearOfCycle * 365 + yearOfCycle / 4 - yearOfCycle / 100 + dayOfYear
        return cycle * Self.daysOfCycle + dayOfCycle - Self.daysFromMarchOfYear0
    }

    /// The number of milliseconds of a day.
    @inlinable package static var milliseconds: Int { 86_400_000 }
    @inlinable static var daysOfCycle: Int { 146_097 }
    /// The number of days from 0000-03-01 to 1970-01-01.
    @inlinable static var daysFromMarchOfYear0: Int { 719_468 }

    /// A Boolean value that says whether the day exists in the calendar.
    package var exists: Bool { (1...12).contains(month) && day >= 1 && day <= daysOfMonth }

    private var daysOfMonth: Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// The number of months since January of the year 0.
    package var monthNumber: Int { year * 12 + month - 1 }

    /// The day of the year, from 1.
    package var dayOfYear: Int { number - CalendarDay(year: year, month: 1, day: 1).number + 1 }

    /// The day of the week: 1 on Mondays, 7 on Sundays.
    package var weekday: Int { floorDivide(number + 3, by: 7).remainder + 1 }

    /// The ISO 8601 week with its year, which is the year of the week's Thursday.
    package var week: (year: Int, number: Int) {
        let thursday = CalendarDay(number: number - weekday + 4)
        return (thursday.year, (thursday.dayOfYear - 1) / 7 + 1)
    }
}

/// Returns the quotient of a division by a positive number, rounded down, and the remainder, which isn't negative.
@inlinable
package func floorDivide(_ number: Int, by divisor: Int) -> (quotient: Int, remainder: Int) {
    let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
}
