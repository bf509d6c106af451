internal import Glibc
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

/// The time zone of the device, which the C library takes from `TZ` or /etc/localtime.
enum DeviceZone {
    /// Returns the device's offset from UTC in minutes, positive to the east, at a time in milliseconds since 1970.
    static func offset(atUTC milliseconds: Int) -> Int {
        var seconds = time_t(floorDivide(milliseconds, by: 1000).quotient)
        var fields = unsafe tm()
        guard unsafe localtime_r(&seconds, &fields) != nil else { return 0 }
        return unsafe fields.tm_gmtoff / 60
    }

    /// Returns the device's offset from UTC in minutes, positive to the east, at a local time. For a local time that
    /// occurs twice, or is skipped, the C library chooses the offset.
    static func offset(atWall time: WallTime) -> Int {
        let day = time.day
        var fields = unsafe tm()
        unsafe fields.tm_year = CInt(day.year - 1900)
        unsafe fields.tm_mon = CInt(day.month - 1)
        unsafe fields.tm_mday = CInt(day.day)
        unsafe fields.tm_hour = CInt(time.hour)
        unsafe fields.tm_min = CInt(time.minute)
        unsafe fields.tm_sec = CInt(time.second)
        unsafe fields.tm_isdst = -1
        // -1 is also a valid time, one second before 1970. On an error the day of the week stays unchanged.
        unsafe fields.tm_wday = -1
        let seconds = unsafe mktime(&fields)
        guard unsafe fields.tm_wday >= 0 else { return 0 }
        return (floorDivide(time.milliseconds, by: 1000).quotient - Int(seconds)) / 60
    }
}
