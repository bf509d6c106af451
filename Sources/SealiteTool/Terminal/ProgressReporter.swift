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

    /// Creates a reporter; one that isn't shown reports nothing.
    init(json: Bool, isShown: Bool = true) {
        let isQuiet = Console.isQuiet || !isShown
        style =
            isQuiet || json && !Console.isVerbose
            ? .silent : json ? .json : Console.notesGoToTerminal ? .bar : .silent
    }

    /// Reports the progress of a phase; a report that follows the previous one too quickly is skipped. With a page size
    /// the numbers are pages.
    func report(
        _ phase: String, completed: some BinaryInteger, total: some BinaryInteger, pageSize: Int? = nil
    ) {
        let (completed, total) = (Int64(completed), Int64(total))
        let now = ContinuousClock.now
        if phase != self.phase { (self.phase, begin, first) = (phase, now, completed) }
        guard now - last >= Self.interval else { return }
        last = now
        switch style {
        case .silent: break
        case .json:
            Console.note(line(phase, completed, total, pageSize, secondsLeft(now, completed, total)).encoded + "\n")
        case .bar:
            let details = Self.details(completed, total, pageSize, secondsLeft(now, completed, total))
            Console.draw("\r\u{1B}[K" + Self.bar(phase, .init(completed: completed, total: total), details))
            isDrawn = true
        }
    }

    /// Returns the line of a phase on a terminal: its name, a bar, the percentage, and details.
    static func bar(_ phase: String, _ extent: ElapsedTime.Extent, _ details: String) -> String {
        let part = extent.total > 0 ? min(1, Double(extent.completed) / Double(extent.total)) : 0
        let bar = String(repeating: "#", count: Int(part * Double(barWidth))).padded(to: barWidth, with: ".")
        return "\(phase.padded(to: 12))[\(bar)] \(String(Int(part * 100)).padded(to: 3, right: false)) %\(details)"
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
        Self.object(
            phase, completed, total, secondsLeft,
            bytes: pageSize.map { (completed * Int64($0), total * Int64($0)) })
    }

    /// Returns the object of a phase: how far it is, without the numbers that aren't known.
    static func object(_ phase: String, _ extent: ElapsedTime.Extent, _ secondsLeft: Int64?) -> JSONValue {
        object(
            phase, extent.completed, extent.total, secondsLeft,
            bytes: extent.unit == .bytes ? (extent.completed, extent.total) : nil)
    }

    private static func object(
        _ phase: String, _ completed: Int64, _ total: Int64, _ secondsLeft: Int64?, bytes: (Int64, Int64)?
    ) -> JSONValue {
        let progress: JSONValue = [
            "phase": phase, "completed": completed, "total": total, "bytes": bytes?.0, "totalBytes": bytes?.1,
            "secondsLeft": secondsLeft,
        ]
        return ["progress": progress]
    }

    /// Returns details such as ", 120 of 4000 pages, 0.5 of 15.6 MiB, 12 s left".
    static func details(_ completed: Int64, _ total: Int64, _ pageSize: Int?, _ secondsLeft: Int64?) -> String {
        var text = ""
        if let pageSize, total > 0 {
            let size = Int64(pageSize)
            text +=
                ", \(completed) of \(total) pages, \(mebibytes(completed * size)) of \(mebibytes(total * size)) MiB"
        }
        return text + self.text(secondsLeft: secondsLeft)
    }

    /// Returns a number of bytes in MiB, with one decimal.
    static func mebibytes(_ bytes: Int64) -> Double { (Double(bytes) / 1_048_576 * 10).rounded() / 10 }

    /// Returns ", 12 s left", or an empty text if the time isn't known.
    static func text(secondsLeft: Int64?) -> String {
        guard let seconds = secondsLeft else { return "" }
        return seconds < 100 ? ", \(seconds) s left" : ", \((seconds + 59) / 60) min left"
    }

    /// Removes the progress bar from the terminal, if one is shown.
    func finish() {
        if isDrawn { Console.draw("\r\u{1B}[K") }
        isDrawn = false
    }
}
