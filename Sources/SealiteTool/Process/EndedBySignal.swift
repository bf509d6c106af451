import Glibc
import SealiteFile

/// An error of a command that a signal stopped and that has cleaned up; the process is then to end by the signal.
struct EndedBySignal: Error {
    let number: CInt
    /// What the command that was stopped has, or hasn't, changed; nil for a command that changes nothing.
    var effect: String?

    /// The line, or with `json` the object, that says what was changed; nil if nothing needs to be said.
    func note(json: Bool) -> String? {
        guard let effect else { return nil }
        let text = "interrupted by \(name): \(effect)"
        guard json else { return "sealite: \(text.withoutControls)\n" }
        return JSONValue.object([
            ("code", .text("interrupted")), ("message", .text(text)), ("exitCode", .integer(Int64(128 + number))),
        ]).encoded + "\n"
    }

    private var name: String {
        switch number {
        case SIGINT: "SIGINT"
        case SIGTERM: "SIGTERM"
        case SIGHUP: "SIGHUP"
        case SIGQUIT: "SIGQUIT"
        default: "signal \(number)"
        }
    }
}
