/// A timestamp for MongoDB's internal use: seconds since 1970 and an increasing number within the second.
public struct Timestamp: Sendable, Hashable, Comparable {
    /// The seconds since 1970.
    public let seconds: UInt32
    /// The number of the timestamp within its second.
    public let increment: UInt32

    /// Creates a timestamp.
    public init(seconds: UInt32, increment: UInt32) { (self.seconds, self.increment) = (seconds, increment) }

    /// Returns whether the left timestamp is the earlier one.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        (left.seconds, left.increment) < (right.seconds, right.increment)
    }
}
