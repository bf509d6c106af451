internal import Glibc

/// The time zone of the device, as the C library knows it from `TZ` or /etc/localtime.
enum DeviceZone {
    /// The minutes that the device's clocks are ahead of UTC at a time in milliseconds since 1970.
    static func offset(atUTC milliseconds: Int) -> Int {
        var seconds = time_t(floorDivide(milliseconds, by: 1000).quotient)
        var fields = unsafe tm()
        guard unsafe localtime_r(&seconds, &fields) != nil else { return 0 }
        return unsafe fields.tm_gmtoff / 60
    }

    /// The minutes that the device's clocks are ahead of UTC when they show a time. Of the two answers for an hour that clocks show twice, and
    /// for one that they leave out, the C library chooses.
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
        // -1 is also a time: one second before 1970. Without success the day of the week stays as it is.
        unsafe fields.tm_wday = -1
        let seconds = unsafe mktime(&fields)
        guard unsafe fields.tm_wday >= 0 else { return 0 }
        return (floorDivide(time.milliseconds, by: 1000).quotient - Int(seconds)) / 60
    }
}
