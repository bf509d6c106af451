/// The waits between the attempts after a session ended.
package struct RetryPolicy: Sendable, Hashable {
    /// Most attempts in a row that bring nothing, the first included; nil is no limit.
    package var maximumAttempts: Int?
    /// The longest wait between two.
    package var maximumWait: Duration = .seconds(300)
    private(set) var failureCount = 0

    /// A one-shot replication gives up after 10 attempts, a continuous one never.
    package init(isContinuous: Bool) { maximumAttempts = isContinuous ? nil : 10 }

    /// Something was replicated: failures are counted anew. A connection alone is none: a peer that takes connections and
    /// drops them would be called for ever.
    package mutating func progressed() { failureCount = 0 }

    /// Returns the wait after a failure (2, 4, 8 … seconds), or nil to give up.
    mutating func wait(after error: SessionError) -> Duration? {
        error.recovery == .transient ? nextWait() : nil
    }

    /// Returns the wait after a failure that may pass, or nil to give up.
    package mutating func nextWait() -> Duration? {
        failureCount += 1
        if let maximumAttempts, failureCount >= maximumAttempts { return nil }
        return min(.seconds(1 << min(failureCount, 30)), maximumWait)
    }
}
