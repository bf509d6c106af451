import Glibc
import SealiteFile
import Synchronization

/// One connection, where its statements come from, and where their rows go.
struct SQLSession {
    let connection: RawConnection
    let format: RowFormat
    let protection: WriteProtection
    let attached: AttachedDatabases

    /// Runs statements. A signal stops the running one, so that the connection closes in order and no journal is left.
    func run(_ sql: String) throws {
        let stopped = StoppingSignal()
        let interrupter = connection.interrupter
        do {
            try Signals.handling(by: { number in
                guard stopped.note(number) else { return false }
                interrupter.interrupt()
                return true
            }) { try connection.run(sql, into: RawRowSink(format.makePrinter())) }
        } catch let error as SealedFileError {
            if let number = stopped.number { throw EndedBySignal(number: number) }
            throw protection.explained(error).ofStatement
        }
        if let number = stopped.number { throw EndedBySignal(number: number) }
    }

    /// Runs standard input statement by statement, so that a script may be larger than memory.
    func runScript() throws {
        var pending = ""
        var (line, start) = (0, 1)
        while let text = readLine(strippingNewline: false) {
            line += 1
            if pending.isEmpty {
                guard text.contains(where: { !$0.isWhitespace }) else { continue }
                start = line
            }
            pending += text
            guard text.utf8.contains(UInt8(ascii: ";")), RawConnection.isComplete(pending) else { continue }
            try run(pending, atLine: start)
            pending = ""
        }
        // `readLine` tells an error from the end by nothing; a read behind the end does.
        var byte: UInt8 = 0
        guard unsafe read(STDIN_FILENO, &byte, 1) >= 0 else {
            throw ToolError(SealedFileError(errno: errno, doing: "reading", "standard input"))
        }
        try run(pending, atLine: start)
        try requireEnd()
    }

    /// Refuses to end in a transaction, whose changes would be lost without a word.
    func requireEnd() throws {
        guard connection.isInTransaction else { return }
        throw ToolError(
            .failed, code: SealedFileError.Code.statement.rawValue,
            "the SQL ends inside a transaction, which was rolled back", hint: "end it with COMMIT")
    }

    private func run(_ sql: String, atLine line: Int) throws {
        do {
            try run(sql)
        } catch let error as ToolError {
            var named = ToolError(error.status, code: error.code, "line \(line): \(error.message)", hint: error.hint)
            named.page = error.page
            throw named
        }
    }

    // MARK: The prompt

    private static let prompt = "sealite> "
    private static let continuation = "    ...> "

    /// Reads statements from the terminal until its end. The terminal's own editing is all there is.
    func converse() throws {
        Console.note("\(SealiteVersion.line)\nType .help for help, .quit or ^D to leave.\n")
        var pending = ""
        while let text = readTyped(pending.isEmpty ? Self.prompt : Self.continuation) {
            if pending.isEmpty, text.hasPrefix(".") {
                guard try obey(text) else { return try tell { try requireEnd() } }
                continue
            }
            guard !(pending.isEmpty && text.allSatisfy(\.isWhitespace)) else { continue }
            pending += text + "\n"
            guard RawConnection.isComplete(pending) else { continue }
            let statement = pending
            pending = ""
            try tell { try run(statement) }
        }
        Console.note("\n")
        try tell { try requireEnd() }
    }

    /// Reads a line; ^C throws away what was typed of it.
    private func readTyped(_ prompt: String) -> String? {
        Console.note(prompt)
        return Signals.handling(by: { number in
            guard number == SIGINT else { return false }
            Console.note("\n" + prompt)
            return true
        }) { readLine(strippingNewline: true) }
    }

    /// Carries out a command of the prompt; false to leave.
    private func obey(_ line: String) throws -> Bool {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        switch words[0] {
        case ".quit", ".exit": return false
        case ".tables":
            try tell {
                try run(
                    "SELECT name, type FROM pragma_table_list WHERE schema = 'main' AND type <> 'shadow'"
                        + " AND name NOT LIKE 'sqlite_%' ORDER BY name")
            }
        case ".schema":
            try tell {
                try connection.query("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid") {
                    (row) throws(SealedFileError) in
                    Console.print((row.text(0) ?? "") + ";")
                }
            }
        case ".attach":
            try tell {
                let isDone = try attached.attach(words: AttachedDatabases.words(line.dropFirst(words[0].count)))
                if !isDone { Console.note(AttachedDatabases.usage) }
            }
        case ".help":
            Console.print("SQL ends with ';'.  .tables  .schema  .attach  .help  .quit\n^C stops a running statement.")
        default: Console.note("there is no \(words[0].withoutControls); type .help\n")
        }
        return true
    }

    /// Shows an error and goes on; only a signal other than ^C gets through.
    private func tell(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let signal as EndedBySignal where signal.number != SIGINT {
            throw signal
        } catch is EndedBySignal {
            Console.note("sealite: interrupted\n")
        } catch {
            Console.note(ToolError(any: error).text)
        }
    }
}

/// The first signal that came while a statement ran.
final class StoppingSignal: Sendable {
    private let first = Mutex<CInt?>(nil)

    var number: CInt? { first.withLock { $0 } }

    /// False for a second one: whoever sends two doesn't want to wait.
    func note(_ number: CInt) -> Bool {
        first.withLock { first in
            guard first == nil else { return false }
            first = number
            return true
        }
    }
}

extension ToolError {
    /// As the command `sql` reports it: what was refused is a statement, not the command line.
    fileprivate var ofStatement: ToolError {
        guard status == .usage else { return self }
        return ToolError(.failed, code: code, message, hint: hint)
    }
}
