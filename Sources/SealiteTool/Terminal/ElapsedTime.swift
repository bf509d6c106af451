import Dispatch
import Synchronization

/// Shows on a terminal how far a step is, once it has taken a second: its elapsed time and, if they are known, how many
/// documents or bytes are done. Nothing is shown for a shorter step.
final class ElapsedTime: Sendable {
    /// What a step's extent is counted in.
    enum Unit: Sendable {
        case documents
        case bytes
    }

    /// How far a step is; a total of 0 if it isn't known.
    struct Extent: Sendable {
        var completed: Int64 = 0
        var total: Int64 = 0
        var unit = Unit.documents
    }

    private let phase: String
    private let form: Form
    private let extent: @Sendable () -> Extent
    private let write: @Sendable (String) -> Void
    private let begin = ContinuousClock.now
    private let state = Mutex((isDone: false, isDrawn: false))

    private enum Form {
        case line
        case json
    }

    private init(
        _ phase: String, _ form: Form, _ extent: @escaping @Sendable () -> Extent,
        write: @escaping @Sendable (String) -> Void
    ) {
        (self.phase, self.form, self.extent, self.write) = (phase, form, extent, write)
    }

    /// A step that is shown, until it is finished or released.
    final class Shown {
        private let time: ElapsedTime
        private let timer: any DispatchSourceTimer

        fileprivate init(_ time: ElapsedTime, every interval: Double) {
            self.time = time
            // A queue of its own, because the step may occupy every thread of the pool of tasks.
            timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "sealite.elapsed-time"))
            timer.schedule(deadline: .now() + interval, repeating: interval)
            timer.setEventHandler { time.draw() }
            timer.resume()
        }

        deinit { finish() }

        /// Removes the line, and shows nothing more.
        func finish() {
            timer.cancel()
            time.finish()
        }
    }

    /// Begins to show every second how far a step is: on a terminal by a line or, with `--json` and `--verbose`, by an
    /// object on standard error.
    ///
    /// - Parameters:
    ///   - phase: the name of the step.
    ///   - json: whether the command's output is JSON.
    ///   - extent: returns how far the step is; called on another thread.
    /// - Returns: the step as long as it is shown; nil if nothing is to be shown.
    static func begin(
        _ phase: String, json: Bool, extent: @escaping @Sendable () -> Extent = { Extent() }
    ) -> Shown? {
        guard !Console.isQuiet, json ? Console.isVerbose : Console.notesGoToTerminal else { return nil }
        return json
            ? Shown(ElapsedTime(phase, .json, extent, write: Console.note), every: 1)
            : Shown(ElapsedTime(phase, .line, extent, write: Console.draw), every: 1)
    }

    /// Runs `body`, and shows how far it is, as ``begin(_:json:extent:)`` does.
    static func shown<R>(
        _ phase: String, json: Bool, extent: @escaping @Sendable () -> Extent = { Extent() }, _ body: () throws -> R
    ) rethrows -> R {
        let shown = begin(phase, json: json, extent: extent)
        defer { shown?.finish() }
        return try body()
    }

    /// Runs `body`, and writes a line for how far it is at an interval in seconds; removes the line at the end.
    static func shown<R>(
        _ phase: String, every interval: Double, extent: @escaping @Sendable () -> Extent = { Extent() },
        write: @escaping @Sendable (String) -> Void, _ body: () throws -> R
    ) rethrows -> R {
        let shown = Shown(ElapsedTime(phase, .line, extent, write: write), every: interval)
        defer { shown.finish() }
        return try body()
    }

    private func draw() {
        let (elapsed, extent) = (ContinuousClock.now - begin, extent())
        let text =
            switch form {
            case .line: "\r\u{1B}[K" + line(elapsed, extent)
            case .json: ProgressReporter.object(phase, extent, secondsLeft(elapsed, extent)).encoded + "\n"
            }
        state.withLock { state in
            guard !state.isDone else { return }
            write(text)
            state.isDrawn = form == .line
        }
    }

    private func line(_ elapsed: Duration, _ extent: Extent) -> String {
        guard extent.total > 0 else {
            let done = extent.completed > 0 ? ", \(extent.done)" : ""
            return "\(phase), \(Int(elapsed / .seconds(1))) s\(done)"
        }
        return ProgressReporter.bar(
            phase, extent, ", \(extent.done)" + ProgressReporter.text(secondsLeft: secondsLeft(elapsed, extent)))
    }

    /// Returns the remaining time according to the speed so far; nil if it can't be estimated.
    private func secondsLeft(_ elapsed: Duration, _ extent: Extent) -> Int64? {
        guard extent.completed > 0, extent.total > extent.completed else { return nil }
        let left = elapsed / .seconds(1) * Double(extent.total - extent.completed) / Double(extent.completed)
        return Int64(left.rounded(.up))
    }

    private func finish() {
        state.withLock { state in
            guard !state.isDone else { return }
            state.isDone = true
            if state.isDrawn { write("\r\u{1B}[K") }
        }
    }
}

extension ElapsedTime.Extent {
    /// The part that is done, for people: "3 of 10 documents", or "3 documents" if the total isn't known.
    fileprivate var done: String {
        switch unit {
        case .documents:
            (total > 0 ? "\(completed) of \(total)" : "\(completed)")
                + ((total > 0 ? total : completed) == 1 ? " document" : " documents")
        case .bytes:
            total > 0
                ? "\(ProgressReporter.mebibytes(completed)) of \(ProgressReporter.mebibytes(total)) MiB"
                : "\(ProgressReporter.mebibytes(completed)) MiB"
        }
    }
}
