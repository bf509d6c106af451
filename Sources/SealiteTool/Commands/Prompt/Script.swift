import Glibc
import SealiteFile

/// Statements from standard input where it is no terminal.
enum Script {
    /// Reads statement by statement, so that a script may be larger than memory, and hands each on with the line in which it begins.
    static func run(isComplete: (String) -> Bool, _ body: (_ statement: String, _ line: Int) throws -> Void) throws {
        var pending = ""
        var (line, start) = (0, 1)
        while let text = readLine(strippingNewline: false) {
            line += 1
            if pending.isEmpty {
                guard text.contains(where: { !$0.isWhitespace }) else { continue }
                start = line
            }
            pending += text
            guard text.utf8.contains(UInt8(ascii: ";")), isComplete(pending) else { continue }
            try body(pending, start)
            pending = ""
        }
        // `readLine` tells an error from the end by nothing; a read behind the end does.
        var byte: UInt8 = 0
        guard unsafe read(STDIN_FILENO, &byte, 1) >= 0 else {
            throw ToolError(SealedFileError(errno: errno, doing: "reading", "standard input"))
        }
        try body(pending, start)
    }
}

extension ToolError {
    /// The error with the line of a script that it is about.
    func atLine(_ line: Int) -> ToolError {
        var named = ToolError(status, code: code, "line \(line): \(message)", hint: hint)
        named.page = page
        return named
    }
}
