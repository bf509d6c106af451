/// The source of time for deadlines, pauses and timers: the system's (`SystemTime`), or a clock that the program itself
/// advances.
package protocol TimeSource: Sendable {
    /// The present time of the monotonic clock, which nobody can set.
    var now: ContinuousClock.Instant { get }

    /// The wall-clock time in milliseconds since 1970.
    var unixMilliseconds: Int64 { get }

    /// Suspends the calling task until an instant.
    ///
    /// - Throws: `CancellationError` if the task is cancelled first.
    func sleep(until moment: ContinuousClock.Instant) async throws

    /// Calls a closure once, on any thread, after a duration.
    func after(_ duration: Duration, _ body: @escaping @Sendable () -> Void)

    /// Creates a timer, initially not set, which calls `fire` each time it fires: serially, on a queue of its own. The
    /// label is for debuggers.
    func makeTimer(_ label: String, _ fire: @escaping @Sendable () -> Void) -> any RestartableTimer
}

extension TimeSource {
    /// Suspends the calling task for a duration.
    ///
    /// - Throws: `CancellationError` if the task is cancelled first.
    package func sleep(for duration: Duration) async throws { try await sleep(until: now + duration) }

    /// The wall-clock time in whole seconds since 1970.
    package var unixSeconds: UInt64 { UInt64(clamping: unixMilliseconds / 1000) }
}

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
