internal import Glibc
public import SealiteValues

/// The surroundings in which a filter or an update is parsed.
public struct FilterContext: Sendable {
    /// The variables that expressions see as `$$name`.
    public var variables: MongoDocument
    /// The time that `$$NOW` gives.
    public var now: DateTime

    /// Variables and a time.
    public init(variables: MongoDocument = [:], now: DateTime = DateTime.now) {
        (self.variables, self.now) = (variables, now)
    }
}

extension DateTime {
    /// The time by the system's clock.
    public static var now: DateTime {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return DateTime(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}
