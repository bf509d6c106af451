import Glibc
import SealiteFile

/// The prompt of `sealite query` and `sealite sql`, which reads statements and commands until the end of input.
final class Prompt {
    private static let first = "sealite> "
    private static let continued = "   ...> "
    /// The maximum length of a statement, in bytes.
    private static let statementLimit = 4 << 20

    private let session: any PromptSession
    private var showsTime = false
    /// The lines of an incomplete statement.
    private var pending = ""

    init(_ session: any PromptSession) { self.session = session }

    /// Reads and runs input until `.quit` or the end of input.
    func converse() throws {
        Console.note("\(SealiteVersion.line)\nType .help for help, .quit or ^D to leave.\n")
        let editor = try LineEditor { [self] in completion(of: $0) }
        while true {
            switch editor.readLine(prompt: pending.isEmpty ? Self.first : Self.continued) {
            case .givenUp: pending = ""
            case .end: return try tell { try session.requireEnd() }
            case .text(let line):
                guard try take(line, editor) else { return try tell { try session.requireEnd() } }
            }
        }
    }

    /// Processes a typed line: a command, or a line of a statement.
    ///
    /// - Returns: false to leave the prompt.
    private func take(_ line: String, _ editor: LineEditor) throws -> Bool {
        let isEmpty = line.allSatisfy(\.isWhitespace)
        if pending.isEmpty {
            if isEmpty { return true }
            if line.hasPrefix(".") {
                editor.remember(line)
                return try obey(line)
            }
        }
        pending += line + "\n"
        guard pending.utf8.count <= Self.statementLimit else {
            pending = ""
            Console.note(
                ToolError.usage("the statement exceeds the maximum of \(Self.statementLimit) bytes and was discarded")
                    .text)
            return true
        }
        // A line without a semicolon completes no statement, and skipping it avoids parsing a long text again.
        guard line.utf8.contains(UInt8(ascii: ";")), session.isComplete(pending) else { return true }
        let statement = pending
        pending = ""
        editor.remember(String(statement.dropLast()))
        try run(statement)
        return true
    }

    private func run(_ statement: String) throws {
        let start = ContinuousClock.now
        // A ^C that arrives as the statement ends must not end the process.
        try Signals.handling(by: { $0 == SIGINT }) {
            try tell(statement) { try session.run(statement) }
        }
        if showsTime { Console.note("time \((ContinuousClock.now - start).formattedSeconds) s\n") }
    }

    /// Runs `body`, shows its error and continues; only a signal other than ^C is thrown.
    private func tell(_ statement: String? = nil, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch let signal as EndedBySignal where signal.number != SIGINT {
            throw signal
        } catch let signal as EndedBySignal {
            Console.note(signal.note(json: false) ?? "sealite: interrupted\n")
        } catch {
            let error = ToolError(any: error)
            Console.note(statement.map { session.explained(error, in: $0) } ?? error.text)
        }
    }

    // MARK: - Commands

    private var commands: [PromptCommand] {
        session.commands + [
            session.modeCommand,
            PromptCommand(name: ".timer", arguments: "on|off", help: "say how long each statement takes") { [self] in
                guard ["on", "off"].contains($0) else { throw ToolError.usage(".timer takes on or off") }
                showsTime = $0 == "on"
            },
            PromptCommand(name: ".help", help: "this list") { [self] _ in help() },
        ]
    }

    /// Runs a command.
    ///
    /// - Returns: false to leave the prompt.
    private func obey(_ line: String) throws -> Bool {
        let words = line.split(maxSplits: 1, whereSeparator: \.isWhitespace).map(String.init)
        let name = words.first ?? ""
        guard ![".quit", ".exit"].contains(name) else { return false }
        guard let command = commands.first(where: { $0.name == name }) else {
            Console.note("there is no command \(name.withoutControls); .help lists the commands\n")
            return true
        }
        let argument = words.count > 1 ? String(words[1].trimmed) : ""
        try tell { try command.run(argument) }
        return true
    }

    private func help() {
        let rows = commands.map { ("\($0.name) \($0.arguments)", $0.help) } + [(".quit", "leave, as ^D does")]
        let width = rows.map(\.0.count).max() ?? 0
        Console.print(
            "A statement ends with ';'. Tab completes a word, ^C discards a line or stops the running statement.")
        for (name, help) in rows { Console.print("\(name.padded(to: width))  \(help)") }
    }

    // MARK: - Completion

    private func completion(of line: String) -> Completion? {
        guard pending.isEmpty, line.hasPrefix(".") else { return session.completion(of: pending + line) }
        guard !line.contains(where: \.isWhitespace) else { return nil }
        return Completion(
            typed: line, candidates: (commands.map(\.name) + [".quit"]).filter { $0.hasPrefix(line) })
    }
}

extension RowFormat {
    /// Creates a format from its name in `.mode`.
    init?(mode: String) {
        switch mode {
        case "table": self = .columns
        case "json": self = .json
        case "csv": self = .csv
        default: return nil
        }
    }
}

extension Duration {
    /// The seconds with three decimals.
    fileprivate var formattedSeconds: String {
        "\(milliseconds / 1000).\(String(milliseconds % 1000).padded(to: 3, with: "0", right: false))"
    }
}

/// A command of a prompt, such as `.tables`.
struct PromptCommand {
    let name: String
    /// The arguments, for the help; empty if there are none.
    var arguments = ""
    let help: String
    /// Runs the command with the text after its name.
    let run: (String) throws -> Void
}

/// A session of a prompt: a language and an open database.
protocol PromptSession: AnyObject {
    /// The format in which rows are written.
    var format: RowFormat { get set }
    /// The commands of this session, in addition to those of every prompt.
    var commands: [PromptCommand] { get }
    /// Returns whether a text consists of complete statements, so that it can be run.
    func isComplete(_ text: String) -> Bool
    /// Runs the statements of a text until the first failure.
    func run(_ text: String) throws
    /// Returns the possible next words of a text that is being typed; nil if there are none.
    func completion(of text: String) -> Completion?
    /// Returns the text of a statement's error for people.
    func explained(_ error: ToolError, in statement: String) -> String
    /// Throws an error if ending the session now would lose changes.
    func requireEnd() throws
}

extension PromptSession {
    func explained(_ error: ToolError, in statement: String) -> String { error.text }
    func requireEnd() throws {}

    /// The prompt's command `.mode`, which selects the format in which rows are written.
    var modeCommand: PromptCommand {
        PromptCommand(name: ".mode", arguments: "table|json|csv", help: "how rows are written") { [self] in
            guard let format = RowFormat(mode: $0) else { throw ToolError.usage(".mode takes table, json or csv") }
            self.format = format
        }
    }
}
