/// Tells how far a long command has come: a bar on a terminal, JSON lines with `--json`, else nothing.
final class ProgressReporter {
    private let style: Style
    private var last = ContinuousClock.now - .seconds(1)
    private var isDrawn = false
    private static let interval = Duration.milliseconds(100)
    private static let barWidth = 30

    private enum Style {
        case bar
        case json
        case silent
    }

    init(json: Bool) {
        style = json ? .json : Console.notesGoToTerminal ? .bar : .silent
    }

    /// Says how far a phase is; drops what comes too fast.
    func report(_ phase: String, completed: Int64, total: Int64) {
        let now = ContinuousClock.now
        guard now - last >= Self.interval else { return }
        last = now
        switch style {
        case .silent: break
        case .json:
            Console.print(
                JSONValue.object([
                    (
                        "progress",
                        .object([
                            ("phase", .text(phase)), ("completed", .integer(completed)), ("total", .integer(total)),
                        ])
                    )
                ]).encoded)
        case .bar:
            let part = total > 0 ? min(1, Double(completed) / Double(total)) : 0
            let filled = Int(part * Double(Self.barWidth))
            let bar = String(repeating: "#", count: filled).padded(to: Self.barWidth, with: ".")
            Console.note("\r\(phase.padded(to: 12))[\(bar)] \(String(Int(part * 100)).padded(to: 3, right: false)) %")
            isDrawn = true
        }
    }

    /// Takes the bar away.
    func finish() {
        if isDrawn { Console.note("\r\u{1B}[K") }
        isDrawn = false
    }
}
