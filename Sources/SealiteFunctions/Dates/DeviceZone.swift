internal import Glibc
internal import SealiteBase

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
