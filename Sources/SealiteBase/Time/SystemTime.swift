package import Dispatch
internal import Glibc

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
