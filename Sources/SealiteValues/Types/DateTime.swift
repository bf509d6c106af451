internal import SealiteBase

/// A point in time: milliseconds since 1970-01-01T00:00:00Z, without leap seconds.
public struct DateTime: Sendable, Hashable, Comparable {
    /// The milliseconds since 1970-01-01T00:00:00Z; negative for an earlier time.
    public let milliseconds: Int64

    /// Creates a point in time from milliseconds since 1970.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Returns whether the left point in time is the earlier one.
    public static func < (left: DateTime, right: DateTime) -> Bool { left.milliseconds < right.milliseconds }
}

extension DateTime: LosslessStringConvertible {
    /// The range of the times, in milliseconds since 1970, of the years 0 to 9999: the texts of these times sort in the
    /// order of the times.
    static let plainYears: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999
    /// The range of the times, in milliseconds since 1970, of the years 1970 to 9999, which relaxed Extended JSON
    /// writes as text.
    static let relaxedYears: ClosedRange<Int64> = 0...253_402_300_799_999

    /// The time in ISO 8601, UTC, with milliseconds: `2026-11-21T04:06:03.123Z`. Years before 0 and after 9999 have a
    /// sign and at least four digits.
    public var description: String { text(hasFraction: true) }

    /// Returns the time in ISO 8601, UTC. If `hasFraction` is false, the milliseconds are left out if they are 0.
    func text(hasFraction: Bool) -> String {
        ISO8601.text(milliseconds: Int(milliseconds), hasFraction: hasFraction)
    }

    /// Creates the time of a text by the rules of ``init(iso:)``.
    public init?(_ description: String) { self.init(iso: description) }

    /// Creates the time of a text in ISO 8601: a day, optionally followed by a time of day and a zone (`Z`, `+hh`,
    /// `+hhmm`, `+hh:mm`), UTC by default. The time of day may lack the seconds or their fraction, which is truncated
    /// to milliseconds. Nil for any other text, and for a time whose milliseconds from 1970 64 bits can't represent.
    public init?(iso text: String) { self.init(iso: text.utf8.span) }

    /// Creates the time of the UTF-8 bytes of a text by the rules of ``init(iso:)``.
    init?(iso text: borrowing Span<UInt8>) {
        guard let parts = ISO8601.parts(of: text, .extendedJSON) else { return nil }
        // The day of the earliest time begins before that time.
        let day = Int128(parts.day.number) * Int128(CalendarDay.milliseconds)
        let time = parts.millisecondOfDay - (parts.offset ?? 0) * 60_000
        guard let milliseconds = Int64(exactly: day + Int128(time)) else { return nil }
        self.init(milliseconds: milliseconds)
    }
}
