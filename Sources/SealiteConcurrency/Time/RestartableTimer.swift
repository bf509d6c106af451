/// A timer that fires once each time it is set. Releasing it cancels it.
package protocol RestartableTimer: Sendable {
    /// Sets the timer to fire once after a duration, replacing an earlier setting. It may fire late by up to the
    /// leeway, which lets the system save power.
    func set(after duration: Duration, leeway: Duration)

    /// Cancels the timer permanently: it can't be set again.
    func cancel()
}

extension RestartableTimer {
    /// Sets the timer to fire once after a duration, without leeway.
    package func set(after duration: Duration) { set(after: duration, leeway: .zero) }
}
