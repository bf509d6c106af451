internal import Glibc
public import SealiteValues

/// The context in which a filter or an update is parsed.
public struct FilterContext: Sendable {
    /// The variables that expressions refer to as `$$name`. Each value is an expression, which may use the variables
    /// before it but no path into a document; `$literal` protects a string that begins with `$`.
    public var variables: MongoDocument
    /// The time of `$$NOW` in expressions, and of `$currentDate` in updates.
    public var now: DateTime

    /// Creates a context.
    public init(variables: MongoDocument = [:], now: DateTime = DateTime.now) {
        (self.variables, self.now) = (variables, now)
    }
}

extension DateTime {
    /// The current time of the system's clock.
    public static var now: DateTime {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return DateTime(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}
