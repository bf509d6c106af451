/// The time that deadlines, pauses and timers go by: the machine's, ``SystemTime``, or one that a test moves.
package protocol TimeSource: Sendable {
    /// The time on a clock that nobody sets.
    var now: ContinuousClock.Instant { get }

    /// The time on the clock that people set, in milliseconds since 1970.
    var unixMilliseconds: Int64 { get }

    /// Waits until a moment has come.
    ///
    /// - Throws: `CancellationError` where the task is cancelled first.
    func sleep(until moment: ContinuousClock.Instant) async throws

    /// Calls a closure once, on any thread, when a time has passed.
    func after(_ duration: Duration, _ body: @escaping @Sendable () -> Void)

    /// Makes a timer, which calls nothing before it is set. It calls `fire` on a queue of its own, one call after another; the label
    /// is for debuggers.
    func makeTimer(_ label: String, _ fire: @escaping @Sendable () -> Void) -> any RestartableTimer
}

/// A timer that is set again for each call. It stops with the last reference to it.
package protocol RestartableTimer: Sendable {
    /// Makes the timer fire once after a time, instead of when it would have. The call may be late by the leeway, so that the machine
    /// wakes less often.
    func set(after duration: Duration, leeway: Duration)

    /// Stops the timer for good.
    func cancel()
}

extension TimeSource {
    /// Waits a time.
    ///
    /// - Throws: `CancellationError` where the task is cancelled first.
    package func sleep(for duration: Duration) async throws { try await sleep(until: now + duration) }

    /// The time on the clock that people set, in whole seconds since 1970.
    package var unixSeconds: UInt64 { UInt64(clamping: unixMilliseconds / 1000) }
}

extension RestartableTimer {
    /// Makes the timer fire once after a time, instead of when it would have.
    package func set(after duration: Duration) { set(after: duration, leeway: .zero) }
}
