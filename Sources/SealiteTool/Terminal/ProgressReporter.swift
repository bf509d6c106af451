/// Reports the progress of a long command: a bar on a terminal, JSON lines on standard error with `--json` and
/// `--verbose`, otherwise nothing.
final class ProgressReporter {
    private let style: Style
    private var last = ContinuousClock.now - .seconds(1)
    private var isDrawn = false
    /// The current phase. `begin` and `first` are the time and the amount of completed work at its beginning.
    private var phase = ""
    private var begin = ContinuousClock.now
    private var first: Int64 = 0
    private static let interval = Duration.milliseconds(100)
    private static let barWidth = 30

    private enum Style {
        case bar
        case json
        case silent
    }

    init(json: Bool) {
        let isQuiet = Console.isQuiet
        style =
            isQuiet || json && !Console.isVerbose
            ? .silent : json ? .json : Console.notesGoToTerminal ? .bar : .silent
    }

    /// Reports the progress of a phase; a report that follows the previous one too quickly is skipped. With a page size
    /// the numbers are pages.
    func report(_ phase: String, completed: Int64, total: Int64, pageSize: Int? = nil) {
        let now = ContinuousClock.now
        if phase != self.phase { (self.phase, begin, first) = (phase, now, completed) }
        guard now - last >= Self.interval else { return }
        last = now
        switch style {
        case .silent: break
        case .json:
            Console.note(line(phase, completed, total, pageSize, secondsLeft(now, completed, total)).encoded + "\n")
        case .bar:
            let part = total > 0 ? min(1, Double(completed) / Double(total)) : 0
            let filled = Int(part * Double(Self.barWidth))
            let bar = String(repeating: "#", count: filled).padded(to: Self.barWidth, with: ".")
            let percent = String(Int(part * 100)).padded(to: 3, right: false)
            let details = Self.details(completed, total, pageSize, secondsLeft(now, completed, total))
            Console.note("\r\u{1B}[K\(phase.padded(to: 12))[\(bar)] \(percent) %\(details)")
            isDrawn = true
        }
    }

    /// Returns the remaining time according to the speed of this phase; nil if it can't be estimated yet.
    private func secondsLeft(_ now: ContinuousClock.Instant, _ completed: Int64, _ total: Int64) -> Int64? {
        let elapsed = (now - begin) / .seconds(1)
        guard elapsed > 0.5, completed > first, total > completed else { return nil }
        return Int64((elapsed * Double(total - completed) / Double(completed - first)).rounded(.up))
    }

    private func line(
        _ phase: String, _ completed: Int64, _ total: Int64, _ pageSize: Int?, _ secondsLeft: Int64?
    ) -> JSONValue {
        .object([
            (
                "progress",
                .object([
                    ("phase", .text(phase)), ("completed", .integer(completed)), ("total", .integer(total)),
                    ("bytes", pageSize.map { .integer(completed * Int64($0)) } ?? .null),
                    ("totalBytes", pageSize.map { .integer(total * Int64($0)) } ?? .null),
                    ("secondsLeft", secondsLeft.map(JSONValue.integer) ?? .null),
                ])
            )
        ])
    }

    /// Returns details such as ", 120 of 4000 pages, 0.5 of 15.6 MiB, 12 s left".
    static func details(_ completed: Int64, _ total: Int64, _ pageSize: Int?, _ secondsLeft: Int64?) -> String {
        var text = ""
        if let pageSize, total > 0 {
            func mebibytes(_ pages: Int64) -> Double {
                (Double(pages * Int64(pageSize)) / 1_048_576 * 10).rounded() / 10
            }
            text += ", \(completed) of \(total) pages, \(mebibytes(completed)) of \(mebibytes(total)) MiB"
        }
        if let seconds = secondsLeft {
            text += seconds < 100 ? ", \(seconds) s left" : ", \((seconds + 59) / 60) min left"
        }
        return text
    }

    /// Removes the progress bar from the terminal, if one is shown.
    func finish() {
        if isDrawn { Console.note("\r\u{1B}[K") }
        isDrawn = false
    }
}
