internal import Dispatch

/// A timer on a queue of its own, which stops when the last reference to it is released.
// Dispatch sources may be used from any thread, though their Swift type does not say so; the other properties are constant.
final class QueueTimer: @unchecked Sendable {
    private let queue: DispatchQueue
    private let source: any DispatchSourceTimer

    init(label: String, _ fire: @escaping @Sendable () -> Void) {
        queue = DispatchQueue(label: label, qos: .utility)
        source = DispatchSource.makeTimerSource(queue: queue)
        source.setEventHandler(handler: fire)
        source.activate()
    }

    deinit { source.cancel() }

    /// Schedules the timer to fire once after a time, instead of at the time that was scheduled before.
    func schedule(afterMilliseconds milliseconds: Int64) {
        source.schedule(deadline: .now() + .milliseconds(Int(milliseconds)))
    }

    /// Schedules the timer to fire now and again after each interval.
    func schedule(everyMilliseconds milliseconds: Int64) {
        source.schedule(deadline: .now(), repeating: .milliseconds(Int(milliseconds)), leeway: .milliseconds(20))
    }

    func cancel() { source.cancel() }
}
