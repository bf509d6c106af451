package import Dispatch
internal import Glibc

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

/// The system's clocks and timers.
package struct SystemTime: TimeSource {
    package init() {}

    package var now: ContinuousClock.Instant { .now }

    package var unixMilliseconds: Int64 { Int64((Self.unixNanoseconds() + 500_000) / 1_000_000) }

    /// Returns the wall-clock time in nanoseconds since 1970; less than one second if the clock is set to a time before
    /// 1970, and 0 if it can't be read.
    @Sendable package static func unixNanoseconds() -> UInt64 {
        var time = timespec()
        guard unsafe clock_gettime(CLOCK_REALTIME, &time) == 0 else { return 0 }
        return UInt64(clamping: time.tv_sec) &* 1_000_000_000 &+ UInt64(clamping: time.tv_nsec)
    }

    package func sleep(until moment: ContinuousClock.Instant) async throws {
        try await Task.sleep(until: moment, clock: .continuous)
    }

    package func after(_ duration: Duration, _ body: @escaping @Sendable () -> Void) {
        DispatchQueue.global(qos: .userInitiated).asyncAfter(deadline: .now() + duration.interval, execute: body)
    }

    package func makeTimer(_ label: String, _ fire: @escaping @Sendable () -> Void) -> any RestartableTimer {
        QueueTimer(label, fire)
    }
}

/// A timer with its own dispatch queue.
// Dispatch sources may be used from any thread, though their Swift type does not say so; the other properties are constant.
private final class QueueTimer: RestartableTimer, @unchecked Sendable {
    private let queue: DispatchQueue
    private let source: any DispatchSourceTimer

    init(_ label: String, _ fire: @escaping @Sendable () -> Void) {
        queue = DispatchQueue(label: "sealite.\(label)", qos: .utility)
        source = DispatchSource.makeTimerSource(queue: queue)
        source.setEventHandler(handler: fire)
        source.activate()
    }

    deinit { source.cancel() }

    func set(after duration: Duration, leeway: Duration) {
        source.schedule(deadline: .now() + duration.interval, leeway: leeway.interval)
    }

    func cancel() { source.cancel() }
}

extension Duration {
    /// The duration as a dispatch interval, at least zero and at most 2³² seconds, about 136 years.
    package var interval: DispatchTimeInterval {
        let (seconds, attoseconds) = components
        let whole = Swift.max(Swift.min(seconds, 1 << 32), 0)
        return .nanoseconds(Int(whole) * 1_000_000_000 + Swift.max(Int(attoseconds / 1_000_000_000), 0))
    }
}
