import Synchronization

/// Shows on a terminal how long a step has been running whose extent isn't known; nothing for a step that ends within a
/// second.
final class ElapsedTime: Sendable {
    private let phase: String
    private let write: @Sendable (String) -> Void
    private let state = Mutex((isDone: false, isDrawn: false))

    private init(_ phase: String, write: @escaping @Sendable (String) -> Void) {
        (self.phase, self.write) = (phase, write)
    }

    /// Runs `body`, and shows its elapsed time unless the output is JSON, `--quiet` was given or standard error isn't a
    /// terminal.
    static func shown<R>(_ phase: String, json: Bool, _ body: () throws -> R) rethrows -> R {
        guard Console.notesGoToTerminal, !Console.isQuiet, !json else { return try body() }
        return try shown(phase, every: .seconds(1), write: Console.note, body)
    }

    /// Runs `body`, and writes its elapsed time at an interval; removes the line at the end.
    static func shown<R>(
        _ phase: String, every interval: Duration, write: @escaping @Sendable (String) -> Void, _ body: () throws -> R
    ) rethrows -> R {
        let shown = ElapsedTime(phase, write: write)
        let task = Task.detached { await shown.draw(every: interval) }
        defer {
            task.cancel()
            shown.finish()
        }
        return try body()
    }

    private func draw(every interval: Duration) async {
        let begin = ContinuousClock.now
        while (try? await Task.sleep(for: interval)) != nil {
            let seconds = Int((ContinuousClock.now - begin) / .seconds(1))
            state.withLock { state in
                guard !state.isDone else { return }
                write("\r\u{1B}[K\(phase), \(seconds) s")
                state.isDrawn = true
            }
        }
    }

    private func finish() {
        state.withLock { state in
            state.isDone = true
            if state.isDrawn { write("\r\u{1B}[K") }
        }
    }
}
