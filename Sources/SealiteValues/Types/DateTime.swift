/// A point in time: milliseconds since 1970-01-01T00:00:00Z, without leap seconds.
public struct DateTime: Sendable, Hashable, Comparable {
    /// The milliseconds since 1970-01-01T00:00:00Z; negative for an earlier time.
    public let milliseconds: Int64

    /// Creates a point in time from milliseconds since 1970.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Returns whether the left point in time is the earlier one.
    public static func < (left: DateTime, right: DateTime) -> Bool { left.milliseconds < right.milliseconds }
}
