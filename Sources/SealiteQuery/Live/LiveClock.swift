internal import Dispatch

/// The clock of live queries.
struct LiveClock: Sendable {
    /// Returns the time, in nanoseconds since an arbitrary moment.
    let now: @Sendable () -> Int64
    /// Calls a closure once, after a number of nanoseconds.
    let after: @Sendable (Int64, @escaping @Sendable () -> Void) -> Void

    /// The machine's clock.
    static let system = LiveClock {
        Int64(clamping: DispatchTime.now().uptimeNanoseconds)
    } after: { nanoseconds, body in
        let time = DispatchTime.now() + .nanoseconds(Int(clamping: nanoseconds))
        DispatchQueue.global(qos: .userInitiated).asyncAfter(deadline: time, execute: body)
    }

    /// Waits for a number of nanoseconds.
    func sleep(_ nanoseconds: Int64) async {
        guard nanoseconds > 0 else { return }
        await withCheckedContinuation { continuation in after(nanoseconds) { continuation.resume() } }
    }
}

extension Duration {
    /// The duration in nanoseconds, clamped between zero and a century.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return Swift.max(Swift.min(seconds, 1 << 32), 0) * 1_000_000_000 + Swift.max(attoseconds / 1_000_000_000, 0)
    }
}
