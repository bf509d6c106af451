internal import SealiteBase

/// A signal for one waiting task. If the signal is set while no task waits, the next wait returns immediately; several
/// signals before a wait count as one.
final class Signal: Sendable {
    private struct State {
        var isSet = false
        var isEnded = false
    }

    private let state = Condition(State())

    var isEnded: Bool { state.withLock { $0.isEnded } }

    func set() { state.change { $0.isSet = true } }

    func end() { state.change { $0.isEnded = true } }

    /// Waits until the signal is set or ended, even if the task is cancelled, and resets it.
    ///
    /// - Returns: false once the signal has ended, even if it was also set.
    func wait() async -> Bool {
        await state.waitThroughCancellation { state in
            guard state.isSet || state.isEnded else { return false }
            state.isSet = false
            return true
        }
        return !isEnded
    }
}
