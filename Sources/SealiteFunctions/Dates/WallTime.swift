internal import SealiteBase

/// A local date and time of day, without a zone.
struct WallTime: Equatable {
    /// The range of the years 0 to 9999, in milliseconds since 1970-01-01T00:00:00 local time.
    static let range = -62_167_219_200_000...253_402_300_799_999

    /// The milliseconds since 1970-01-01T00:00:00 local time.
    let milliseconds: Int

    /// Creates a time from the milliseconds since 1970-01-01T00:00:00 local time; nil outside of the years 0 to 9999.
    init?(milliseconds: Int) {
        guard Self.range.contains(milliseconds) else { return nil }
        self.milliseconds = milliseconds
    }

    /// Creates a time from its day and the milliseconds since midnight; nil outside of the years 0 to 9999. A day
    /// outside of the month carries over to other months.
    init?(_ day: CalendarDay, millisecondOfDay: Int) {
        self.init(milliseconds: day.number * CalendarDay.milliseconds + millisecondOfDay)
    }

    /// Returns the time a number of minutes later; nil outside of the years 0 to 9999.
    func ahead(minutes: Int) -> WallTime? { WallTime(milliseconds: milliseconds + minutes * 60_000) }

    var day: CalendarDay { CalendarDay(milliseconds: milliseconds) }
    var millisecondOfDay: Int { floorDivide(milliseconds, by: CalendarDay.milliseconds).remainder }
    var hour: Int { millisecondOfDay / 3_600_000 }
    var minute: Int { millisecondOfDay / 60_000 % 60 }
    var second: Int { millisecondOfDay / 1000 % 60 }
    var millisecond: Int { millisecondOfDay % 1000 }
}
