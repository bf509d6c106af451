import Glibc
import SealiteFile

/// Reads statements from standard input if it isn't a terminal.
enum Script {
    /// Reads statement by statement, so that a script may be larger than memory, and passes each to `body` with the
    /// line on which it begins; at the end, also the remaining text, which may be empty. A line that begins with a dot,
    /// between statements, is passed to `obey` unless that is nil.
    static func run(
        isComplete: (String) -> Bool, obey: ((_ line: String, _ number: Int) throws -> Void)? = nil,
        _ body: (_ statement: String, _ line: Int) throws -> Void
    ) throws {
        var pending = ""
        var (line, start) = (0, 1)
        while let text = readLine(strippingNewline: false) {
            line += 1
            if pending.isEmpty {
                guard text.contains(where: { !$0.isWhitespace }) else { continue }
                if text.hasPrefix("."), let obey {
                    try obey(text, line)
                    continue
                }
                start = line
            }
            pending += text
            guard text.utf8.contains(UInt8(ascii: ";")), isComplete(pending) else { continue }
            try body(pending, start)
            pending = ""
        }
        // `readLine` doesn't distinguish an error from the end of input; a further read does.
        var byte: UInt8 = 0
        guard unsafe read(STDIN_FILENO, &byte, 1) >= 0 else {
            throw ToolError(SealedFileError(errno: errno, doing: "reading", "standard input"))
        }
        try body(pending, start)
    }
}

extension ToolError {
    /// Returns the error with the number of the script's line on which it occurred, counted from 1.
    func atLine(_ line: Int) -> ToolError {
        saying("line \(line): \(message)")
    }
}
