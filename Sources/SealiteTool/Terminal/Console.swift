import Glibc
import SealiteCrypto
import SealiteFile
import Synchronization

/// The terminal, and all its rules:
///
/// - Results go to standard output; everything else (errors, progress, notes) to standard error.
/// - Questions are written to /dev/tty and answered there, so that redirected output holds none of them. They are asked only
///   where standard input is a terminal or `--prompt` is given, and never with `--no-input`.
/// - A secret is typed without echo, twice where it is being set, and read straight into locked memory.
/// - Whatever ends the process by a signal, the terminal gets its echo back first (`Signals`).
/// - Nothing from a database reaches a terminal with control characters in it.
enum Console {
    /// Where standard input is closed, the next file that is opened would take its number, and be read as a script. What takes it
    /// now can't be read.
    static func holdInputPlace() {
        guard fcntl(STDIN_FILENO, F_GETFD) < 0 else { return }
        _ = unsafe open("/dev/null", O_WRONLY)
    }

    // MARK: Output

    /// Writes a result.
    static func write(_ text: String) { write(text, to: STDOUT_FILENO) }

    /// Writes a result and a line end.
    static func print(_ text: String) { write(text + "\n") }

    /// Writes what isn't a result.
    static func note(_ text: String) { write(text, to: STDERR_FILENO) }

    /// A Boolean value that says whether `--json` was given, so that what goes to standard error is JSON too.
    private static let notesAreJSON = CommandLine.arguments.dropFirst().prefix { $0 != "--" }.contains("--json")

    /// Writes a warning, which doesn't change the exit code: a line of text, or with `--json` an object of its own line.
    static func warn(_ code: String, _ text: String) {
        let object = JSONValue.object([("warning", .text(code)), ("message", .text(text))])
        note(notesAreJSON ? object.encoded + "\n" : "warning: \(text)".withoutControls + "\n")
    }

    /// Writes what there is to say about the key slots of a file.
    static func warn(of path: String, _ warnings: [SlotWarning]) {
        for warning in warnings { warn(SealedFileError.Code.unauthenticatedSlot.rawValue, "\"\(path)\": \(warning)") }
    }

    /// Says which recovery slots of an earlier version a command is about to replace.
    static func warnOfReplacement(in path: String, _ slots: [SlotInfo]) {
        for slot in slots {
            warn(
                "unauthenticated-slot-replaced",
                "\"\(path)\": key slot \(slot.number), a recovery slot of an earlier version, is replaced by one that proves who"
                    + " made the file; versions before that can't open the file any more")
        }
    }

    /// Writes a secret as a result, byte for byte.
    static func write(_ secret: borrowing SecretBytes) {
        unsafe secret.withUnsafeBytes { unsafe write($0, to: STDOUT_FILENO) }
    }

    /// The first error that writing a result met, but for a reader that went away.
    private static let failure = Mutex<CInt?>(nil)

    /// Throws where a result wasn't written whole: who redirected it to a full disk must not take it for complete.
    static func requireWritten() throws(ToolError) {
        guard let number = failure.withLock({ $0 }) else { return }
        throw ToolError(SealedFileError(errno: number, doing: "writing to", "standard output"))
    }

    /// Writes a result's bytes.
    static func write(_ bytes: [UInt8]) { unsafe bytes.withUnsafeBytes { unsafe write($0, to: STDOUT_FILENO) } }

    private static func write(_ text: String, to descriptor: CInt) {
        var text = text
        text.withUTF8 { unsafe write(UnsafeRawBufferPointer($0), to: descriptor) }
    }

    /// A reader that went away ends the process, as SIGPIPE would have, after the temporary files are gone.
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
    static var outputIsTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
    static var notesGoToTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    // MARK: Questions

    /// Whether questions may be asked.
    struct Permission {
        var prompt = false
        var noInput = false

        var isGiven: Bool { !noInput && (prompt || Console.inputIsTerminal) }
    }

    /// Asks a question that only "yes" or "y" answers with yes.
    static func confirms(_ question: String) throws(ToolError) -> Bool {
        let terminal = try Terminal()
        terminal.write(question + " [y/N] ")
        let answer = terminal.readLine()?.lowercased() ?? ""
        return answer == "y" || answer == "yes"
    }

    /// Asks a question, and returns what was typed, in lowercase and without the space around it; empty at the end of input.
    static func answer(_ question: String) throws(ToolError) -> String {
        let terminal = try Terminal()
        terminal.write(question + " ")
        let answer = terminal.readLine()?.lowercased() ?? ""
        return answer.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// Fails early where a secret couldn't be shown later.
    static func requireTerminal(for purpose: String? = nil) throws(ToolError) {
        do throws(ToolError) {
            _ = try Terminal()
        } catch {
            throw purpose.map { .usage($0) } ?? error
        }
    }

    /// Shows a secret on the terminal and nowhere else.
    static func show(_ secret: borrowing SecretBytes, before: String, after: String) throws(ToolError) {
        let terminal = try Terminal()
        terminal.write(before)
        terminal.write(secret)
        terminal.write(after)
    }
}

/// The terminal's settings before they were changed, for whoever ends the change.
enum SavedTerminal {
    private static let settings = Mutex<termios?>(nil)

    static func keep(_ value: termios) { settings.withLock { $0 = value } }

    /// Keeps the settings as they are, where the descriptor is a terminal.
    static func keepSettings(of descriptor: CInt) {
        var settings = termios()
        if unsafe tcgetattr(descriptor, &settings) == 0 { keep(settings) }
    }

    static func restore(on descriptor: CInt) {
        settings.withLock { settings in
            guard var value = settings else { return }
            _ = unsafe tcsetattr(descriptor, TCSADRAIN, &value)
            settings = nil
        }
    }

    /// For a process that is about to end by a signal.
    static func restore() {
        guard settings.withLock({ $0 != nil }) else { return }
        let descriptor = unsafe open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        restore(on: descriptor)
        close(descriptor)
    }
}
