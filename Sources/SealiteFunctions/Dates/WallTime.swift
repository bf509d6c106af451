/// A date and a time of day as calendar and clock show them, without the zone they are meant in.
struct WallTime: Equatable {
    static let millisecondsPerDay = 86_400_000
    /// The years 0 to 9999.
    static let range = -62_167_219_200_000...253_402_300_799_999

    /// Milliseconds on this clock since it showed 1970-01-01T00:00:00.
    let milliseconds: Int

    /// Nil outside of the years 0 to 9999.
    init?(milliseconds: Int) {
        guard Self.range.contains(milliseconds) else { return nil }
        self.milliseconds = milliseconds
    }

    /// Nil outside of the years 0 to 9999. A day of 0 or less, or behind the month's last, counts on into other months.
    init?(_ day: CalendarDay, millisecondOfDay: Int) {
        self.init(milliseconds: day.number * Self.millisecondsPerDay + millisecondOfDay)
    }

    /// Returns the time of a clock that is a number of minutes ahead of this one.
    func ahead(minutes: Int) -> WallTime? { WallTime(milliseconds: milliseconds + minutes * 60_000) }

    var day: CalendarDay { CalendarDay(number: floorDivide(milliseconds, by: Self.millisecondsPerDay).quotient) }
    var millisecondOfDay: Int { floorDivide(milliseconds, by: Self.millisecondsPerDay).remainder }
    var hour: Int { millisecondOfDay / 3_600_000 }
    var minute: Int { millisecondOfDay / 60_000 % 60 }
    var second: Int { millisecondOfDay / 1000 % 60 }
    var millisecond: Int { millisecondOfDay % 1000 }
}
