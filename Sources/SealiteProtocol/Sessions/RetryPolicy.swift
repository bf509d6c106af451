/// The delays between connection attempts after a session ended.
package struct RetryPolicy: Sendable, Hashable {
    /// The maximum number of successive attempts without progress, including the first; nil for no limit.
    package var maximumAttempts: Int?
    /// The longest delay between two attempts.
    package var maximumWait: Duration = .seconds(300)
    private(set) var failureCount = 0

    /// Creates the default policy: a one-shot replication gives up after 10 attempts, a continuous one never.
    package init(isContinuous: Bool) { maximumAttempts = isContinuous ? nil : 10 }

    /// Resets the failure count after something was replicated. A connection alone is no progress: otherwise this side
    /// would connect forever to a peer that accepts and drops connections.
    package mutating func progressed() { failureCount = 0 }

    /// Returns the delay before the next attempt after a failure (2, 4, 8 … seconds, at most `maximumWait`); nil if the
    /// maximum number of attempts was reached or the error is permanent.
    mutating func wait(after error: SessionError) -> Duration? {
        error.recovery == .transient ? nextWait() : nil
    }

    /// Counts a transient failure, and returns the delay before the next attempt (2, 4, 8 … seconds, at most
    /// `maximumWait`); nil if the maximum number of attempts was reached.
    package mutating func nextWait() -> Duration? {
        failureCount += 1
        if let maximumAttempts, failureCount >= maximumAttempts { return nil }
        return min(.seconds(1 << min(failureCount, 30)), maximumWait)
    }
}
