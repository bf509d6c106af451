/// A timer that fires once each time it is set. It is cancelled when it is released.
package protocol RestartableTimer: Sendable {
    /// Sets the timer to fire once after a duration, replacing an earlier setting. The call may be late by the leeway,
    /// which lets the system save power.
    func set(after duration: Duration, leeway: Duration)

    /// Cancels the timer permanently.
    func cancel()
}

extension RestartableTimer {
    /// Sets the timer to fire once after a duration, without leeway.
    package func set(after duration: Duration) { set(after: duration, leeway: .zero) }
}
