import Glibc
import SealiteCrypto
import SealiteFile
import SealiteMaintenance
import Synchronization

/// The terminal, with these rules:
///
/// - Results go to standard output; everything else (errors, progress, notes) to standard error.
/// - Questions are written to /dev/tty and answered there, so that redirected output contains none of them. They are
///   asked only if standard input is a terminal or `--prompt` is given, and never with `--no-input`.
/// - A secret is typed without echo, twice when it is being set, and read directly into locked memory.
/// - If a signal ends the process, the terminal's echo is restored first (`Signals`).
/// - What a terminal would obey, in text from a database, a server or a command line, is written to a terminal as escapes
///   (`TerminalText`), whichever command writes it. Files and pipes get every byte unchanged.
enum Console {
    /// Occupies the descriptor of standard input if that is closed. Otherwise the next opened file would get descriptor
    /// 0 and be read as a script. The file that is opened for this purpose can't be read.
    static func holdInputPlace() {
        guard fcntl(STDIN_FILENO, F_GETFD) < 0 else { return }
        _ = unsafe open("/dev/null", O_WRONLY)
    }

    // MARK: Output

    /// Writes a result to standard output.
    static func write(_ text: String) {
        write(outputIsTerminal ? TerminalText.harmless(text) : text, to: STDOUT_FILENO)
    }

    /// Writes a result and a line end to standard output.
    static func print(_ text: String) { write(text + "\n") }

    /// Writes a result as one line of JSON.
    static func print(_ value: JSONValue) { print(value.encoded) }

    /// A Boolean value that says whether `--quiet` was given.
    static var isQuiet: Bool { quietness.load(ordering: .relaxed) }
    private static let quietness = Atomic(false)

    static func beQuiet(_ isQuiet: Bool) { quietness.store(isQuiet, ordering: .relaxed) }

    /// A Boolean value that says whether `--verbose` was given.
    static var isVerbose: Bool { verbosity.load(ordering: .relaxed) }
    private static let verbosity = Atomic(false)

    static func beVerbose(_ isVerbose: Bool) { verbosity.store(isVerbose, ordering: .relaxed) }

    /// Writes the confirmation that a command is done to standard output, unless `--quiet` was given.
    static func confirm(_ text: String) {
        if !isQuiet { print(text.withoutControls) }
    }

    /// Writes text that isn't a result, to standard error.
    static func note(_ text: String) {
        write(notesGoToTerminal ? TerminalText.harmless(text) : text, to: STDERR_FILENO)
    }

    /// Writes a text of the tool's own that controls the terminal, such as a line of progress that replaces the one
    /// before, to standard error.
    static func draw(_ text: String) { write(text, to: STDERR_FILENO) }

    /// A Boolean value that says whether `--json` was given, so that messages on standard error are JSON too.
    private static let notesAreJSON = CommandLine.arguments.dropFirst().prefix { $0 != "--" }.contains("--json")

    /// Writes a warning, which doesn't change the exit code: a line of text, or with `--json` an object on its own
    /// line.
    static func warn(_ code: String, _ text: String) {
        let object: JSONValue = ["warning": code, "message": text]
        note(notesAreJSON ? object.encoded + "\n" : "warning: \(text)".withoutControls + "\n")
    }

    /// Writes the error of a line of input that is skipped: a line of text, or with `--json` an object on its own line.
    static func note(ofLine number: Int, _ error: ToolError) {
        let object: JSONValue = ["line": number, "code": error.code, "message": error.message]
        note(notesAreJSON ? object.encoded + "\n" : "line \(number): \(error.message)".withoutControls + "\n")
    }

    /// Warns of a damaged header copy. The next writer repairs it from the other copy without a message.
    static func warn(of path: String, damagedCopiesOf header: PublicHeader) {
        for (copy, state) in header.copies.enumerated() where state == .damaged {
            warn(
                SealedFileError.Code.damagedHeader.rawValue,
                "header copy \(copy) of \"\(path)\" is damaged, and the next write to the database repairs it from header copy"
                    + " \(1 - copy): check the disk for errors, and run 'sealite verify'")
        }
    }

    /// Writes a secret as a result to standard output, byte for byte, to a terminal too.
    static func write(_ secret: borrowing SecretBytes) {
        unsafe secret.withUnsafeBytes { unsafe write($0, to: STDOUT_FILENO) }
    }

    /// The number, as in `errno`, of the first error in writing a result, other than a closed pipe; nil if there was
    /// none.
    private static let failure = Mutex<CInt?>(nil)

    /// Throws an error if a result wasn't written completely, for example to a full disk, so that it isn't taken for
    /// complete.
    static func requireWritten() throws(ToolError) {
        guard let number = failure.withLock({ $0 }) else { return }
        throw ToolError(SealedFileError(errno: number, doing: "writing to", "standard output"))
    }

    /// Writes the bytes of a result to standard output. What isn't UTF-8 is replaced on a terminal.
    static func write(_ bytes: [UInt8]) {
        guard !outputIsTerminal else { return write(String(decoding: bytes, as: UTF8.self)) }
        unsafe bytes.withUnsafeBytes { unsafe write($0, to: STDOUT_FILENO) }
    }

    private static func write(_ text: String, to descriptor: CInt) {
        var text = text
        text.withUTF8 { unsafe write(UnsafeRawBufferPointer($0), to: descriptor) }
    }

    /// Writes bytes. If the reader of the output is gone, the process ends as by SIGPIPE, after the temporary files are
    /// removed.
    private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: CInt) {
        guard descriptor != STDOUT_FILENO || failure.withLock({ $0 == nil }) else { return }
        var rest = unsafe bytes
        while unsafe !rest.isEmpty {
            let count = unsafe Glibc.write(descriptor, rest.baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EPIPE { Signals.end(by: SIGPIPE) }
            guard count > 0 else {
                let number = errno
                if descriptor == STDOUT_FILENO { failure.withLock { $0 = number } }
                return
            }
            unsafe rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }

    static var inputIsTerminal: Bool { isatty(STDIN_FILENO) == 1 }
    static let outputIsTerminal = isatty(STDOUT_FILENO) == 1
    static let notesGoToTerminal = isatty(STDERR_FILENO) == 1

    // MARK: Questions

    /// The permission to ask questions on the terminal, from the options `--prompt` and `--no-input`.
    struct Permission {
        var prompt = false
        var noInput = false

        var isGiven: Bool { !noInput && (prompt || Console.inputIsTerminal) }
    }

    /// Asks a question, and returns whether the answer is "y" or "yes" in any letter case.
    static func confirms(_ question: String) throws(ToolError) -> Bool {
        let terminal = try Terminal()
        terminal.write(question.withoutControlsInLines + " [y/N] ")
        let answer = terminal.readLine()?.lowercased() ?? ""
        return answer == "y" || answer == "yes"
    }

    /// Asks a question and returns the answer in lowercase, without white space at its ends and with single spaces
    /// between its words; empty at the end of input.
    static func answer(_ question: String) throws(ToolError) -> String {
        let terminal = try Terminal()
        terminal.write(question.withoutControlsInLines + " ")
        let answer = terminal.readLine()?.lowercased() ?? ""
        return answer.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// Throws an error if there is no terminal on which a secret could be shown later. Called before anything is
    /// created. `purpose` replaces the error's usual message.
    static func requireTerminal(for purpose: String? = nil) throws(ToolError) {
        do throws(ToolError) {
            _ = try Terminal()
        } catch {
            throw purpose.map { .usage($0) } ?? error
        }
    }

    /// Shows a secret only on the terminal.
    static func show(_ secret: borrowing SecretBytes, before: String, after: String) throws(ToolError) {
        let terminal = try Terminal()
        terminal.write(before)
        terminal.write(secret)
        terminal.write(after)
    }
}
