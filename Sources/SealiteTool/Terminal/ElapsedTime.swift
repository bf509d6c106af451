import Dispatch
import Synchronization

/// Shows on a terminal how long a step has been running whose extent isn't known; nothing for a step that ends within a
/// second.
final class ElapsedTime: Sendable {
    private let phase: String
    private let write: @Sendable (String) -> Void
    private let begin = ContinuousClock.now
    private let state = Mutex((isDone: false, isDrawn: false))

    private init(_ phase: String, write: @escaping @Sendable (String) -> Void) {
        (self.phase, self.write) = (phase, write)
    }

    /// Runs `body`, and shows its elapsed time unless the output is JSON, `--quiet` was given or standard error isn't a
    /// terminal.
    static func shown<R>(_ phase: String, json: Bool, _ body: () throws -> R) rethrows -> R {
        guard Console.notesGoToTerminal, !Console.isQuiet, !json else { return try body() }
        return try shown(phase, every: 1, write: Console.note, body)
    }

    /// Runs `body`, and writes its elapsed time at an interval in seconds; removes the line at the end.
    static func shown<R>(
        _ phase: String, every interval: Double, write: @escaping @Sendable (String) -> Void, _ body: () throws -> R
    ) rethrows -> R {
        let shown = ElapsedTime(phase, write: write)
        // A queue of its own, because `body` may occupy every thread of the pool of tasks.
        let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "sealite.elapsed-time"))
        timer.schedule(deadline: .now() + interval, repeating: interval)
        timer.setEventHandler { shown.draw() }
        timer.resume()
        defer {
            timer.cancel()
            shown.finish()
        }
        return try body()
    }

    private func draw() {
        let seconds = Int((ContinuousClock.now - begin) / .seconds(1))
        state.withLock { state in
            guard !state.isDone else { return }
            write("\r\u{1B}[K\(phase), \(seconds) s")
            state.isDrawn = true
        }
    }

    private func finish() {
        state.withLock { state in
            state.isDone = true
            if state.isDrawn { write("\r\u{1B}[K") }
        }
    }
}
