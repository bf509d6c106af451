internal import SealiteBase

/// A date, parsed from a string of ISO 8601: `YYYY-MM-DD[(T| )HH:MM[:SS[.f…]][Z|±HH[:]MM]]`, or its time alone, which
/// is then on 2000-01-01.
struct DateText {
    let time: WallTime
    private let parts: ISO8601.Parts

    /// Creates the date of a string; nil for an invalid string, and for a time alone unless `allowsTimeAlone` is true.
    init?(_ text: borrowing Span<UInt8>, allowsTimeAlone: Bool = false) {
        guard let parts = ISO8601.parts(of: text, .queries, takesTimeAlone: allowsTimeAlone),
            let time = WallTime(parts.day, millisecondOfDay: parts.millisecondOfDay)
        else { return nil }
        (self.time, self.parts) = (time, parts)
    }

    /// The zone's offset from UTC in minutes; nil if the string has no zone.
    var offset: Int? { parts.offset }
    /// The separator of date and time, T or a space; nil for a date without time.
    var separator: UInt8? { parts.separator }
    /// The range of the zone in the string, in bytes; empty if it has none.
    var zone: Range<Int> { parts.zone }

    /// The date in milliseconds since 1970 in UTC. A date without a zone is in the device's zone.
    var utcMilliseconds: Int { time.milliseconds - (offset ?? DeviceZone.offset(atWall: time)) * 60_000 }
}
