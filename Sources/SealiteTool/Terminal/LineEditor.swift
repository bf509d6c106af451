import CEditLine
import CEditLineLoading
import Glibc

/// Reads lines from a terminal with editing, history and completion, through libedit.
///
/// libedit is kept away from files: `~/.editrc` isn't read; vi mode, whose `v` writes the line to a temporary file, and
/// the editor's own command line are disabled. The history is in memory only.
@safe final class LineEditor {
    /// Returns the completion for a line's text up to the cursor; nil if there is no word to complete.
    typealias Completer = (String) -> Completion?

    private let editor: OpaquePointer
    private let streams: (input: UnsafeMutablePointer<FILE>, output: UnsafeMutablePointer<FILE>)
    private var history: LineHistory
    private let input: TerminalInput
    private let completer: Completer
    /// The prompt of the current line, as a C string.
    private var prompt: UnsafeMutablePointer<CChar>?
    private var wasGivenUp = false

    /// Prepares the terminal on standard input.
    init(completer: @escaping Completer) throws(ToolError) {
        let failure = ToolError(
            .inputOutput, code: "io-error", "the terminal on standard input can't be set up for editing lines")
        if let reason = unsafe sealite_load_edit_line() {
            throw ToolError(
                .inputOutput, code: "io-error", "lines can't be edited: \(unsafe String(cString: reason))",
                hint: "install libedit (the Debian package libedit2), or give the statements on standard input")
        }
        Self.setCharacterSet()
        input = try TerminalInput()
        guard let history = LineHistory() else { throw failure }
        self.history = history
        self.completer = completer
        // Prompts and echo aren't results; they are written to a stream that is a terminal.
        let shown = [STDERR_FILENO, STDOUT_FILENO].first { isatty($0) == 1 } ?? STDIN_FILENO
        guard let reading = unsafe fdopen(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3), "r") else { throw failure }
        guard let writing = unsafe fdopen(fcntl(shown, F_DUPFD_CLOEXEC, 3), "w") else {
            unsafe fclose(reading)
            throw failure
        }
        guard let editor = unsafe el_init("sealite", reading, writing, writing) else {
            unsafe fclose(reading)
            unsafe fclose(writing)
            throw failure
        }
        unsafe streams = (reading, writing)
        unsafe self.editor = unsafe editor
        configure()
    }

    deinit {
        unsafe el_end(editor)
        unsafe fclose(streams.input)
        unsafe fclose(streams.output)
        unsafe free(prompt)
    }

    /// Sets the character set for libedit, which reads and writes characters according to the locale. All other code
    /// uses UTF-8.
    private static func setCharacterSet() {
        _ = unsafe setlocale(LC_CTYPE, "")
        if sealite_uses_utf8() == 0 { _ = unsafe setlocale(LC_CTYPE, "C.UTF-8") }
    }

    private func configure() {
        unsafe sealite_el_set_context(editor, Unmanaged.passUnretained(self).toOpaque())
        _ = unsafe sealite_el_set_keymap(editor, "emacs")
        _ = unsafe sealite_el_set_prompt(editor) { unsafe LineEditor.of($0)?.prompt }
        _ = unsafe sealite_el_set_reader(editor) { editor, character in
            guard let editor = unsafe LineEditor.of(editor), let character = unsafe character else { return -1 }
            guard let scalar = editor.nextCharacter() else { return -1 }
            unsafe character.pointee = Int32(bitPattern: scalar.value)
            return 1
        }
        _ = unsafe sealite_el_set_history(editor, history.handle)
        _ = unsafe sealite_el_add_function(editor, "complete-word", "Completes the word before the cursor") {
            editor, _ in
            unsafe LineEditor.of(editor)?.complete() ?? UInt8(CC_ERROR)
        }
        _ = unsafe sealite_el_bind(editor, "^I", "complete-word")
        _ = unsafe sealite_el_bind(editor, "^R", "em-inc-search-prev")
        // Disables the editor's own commands, which could switch its keys to those of vi.
        for key in ["\\ex", "\\eX"] { _ = unsafe sealite_el_unbind(editor, key) }
    }

    private static func of(_ editor: OpaquePointer?) -> LineEditor? {
        guard let editor = unsafe editor, let context = unsafe sealite_el_context(editor) else { return nil }
        return unsafe Unmanaged<LineEditor>.fromOpaque(context).takeUnretainedValue()
    }

    /// Reads a line, without its end.
    func readLine(prompt text: String) -> TypedLine {
        unsafe free(prompt)
        unsafe prompt = unsafe strdup(text)
        wasGivenUp = false
        input.forgetEvents()
        SavedTerminal.keepSettings(of: STDIN_FILENO)
        defer { SavedTerminal.restore(on: STDIN_FILENO) }
        // The terminal's size may have changed while no line was read.
        unsafe el_resize(editor)
        // libedit itself would do this only after the prompt: input typed as soon as the prompt is visible would be
        // echoed twice, and ^D would be lost.
        let edits = unsafe sealite_el_edits(editor) != 0
        if edits { _ = unsafe sealite_el_prepare_terminal(editor, 1) }
        var count: CInt = 0
        let line = unsafe Signals.handling(
            by: { [input] number in
                guard number == SIGINT else { return false }
                input.post(.givenUp)
                return true
            },
            noting: { [input] number in input.post(number == SIGWINCH ? .resized : .continued) }
        ) { unsafe el_gets(editor, &count) }
        guard let line = unsafe line, count > 0 else {
            // Without line editing, the terminal itself has echoed ^C.
            show(wasGivenUp && edits ? "^C\n" : "\n")
            return wasGivenUp ? .givenUp : .end
        }
        var typed = unsafe String(decoding: UnsafeRawBufferPointer(start: line, count: Int(count)), as: UTF8.self)
        if typed.last?.isNewline == true { typed.removeLast() }
        return .text(typed)
    }

    /// Adds a text to the history.
    func remember(_ text: String) { history.add(text) }

    /// Waits for the next character of the line; returns nil if there is none.
    private func nextCharacter() -> Unicode.Scalar? {
        while true {
            switch input.next() {
            case .character(let character): return character
            case .end: return nil
            case .event(.givenUp):
                wasGivenUp = true
                return nil
            case .event(.resized):
                unsafe el_resize(editor)
                _ = unsafe sealite_el_refresh(editor)
            case .event(.continued):
                _ = unsafe sealite_el_prepare_terminal(editor, 0)
                _ = unsafe sealite_el_prepare_terminal(editor, 1)
                _ = unsafe sealite_el_refresh(editor)
            }
        }
    }

    /// Completes the word before the cursor, and returns libedit's code for redrawing.
    private func complete() -> UInt8 {
        guard let line = unsafe el_line(editor), let start = unsafe line.pointee.buffer,
            let cursor = unsafe line.pointee.cursor
        else { return UInt8(CC_ERROR) }
        let count = unsafe cursor - start
        let text = unsafe String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
        // Tabs in pasted text aren't completed.
        guard !input.hasMore, let completion = completer(text) else {
            return unsafe el_insertstr(editor, "    ") == 0 ? UInt8(CC_REFRESH) : UInt8(CC_ERROR)
        }
        switch completion.step {
        case .nothing: return UInt8(CC_REFRESH_BEEP)
        case .replace(let word):
            unsafe el_deletestr(editor, CInt(completion.typed.unicodeScalars.count))
            return unsafe el_insertstr(editor, word) == 0 ? UInt8(CC_REFRESH) : UInt8(CC_ERROR)
        case .list:
            show("\n" + completion.list(columns: terminalWidth))
            return UInt8(CC_REDISPLAY)
        }
    }

    private var terminalWidth: Int {
        var size = winsize()
        let isKnown = unsafe ioctl(fileno(streams.output), UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        return isKnown ? Int(size.ws_col) : 80
    }

    private func show(_ text: String) {
        unsafe fputs(text, streams.output)
        unsafe fflush(streams.output)
    }
}

/// The history of statements typed at a prompt: in memory only, within its limits.
@safe struct LineHistory: ~Copyable {
    /// The maximum number of entries.
    static let countLimit = 500
    /// The maximum number of bytes of all entries.
    static let byteLimit = 1 << 20

    /// libedit's `History`.
    let handle: OpaquePointer
    private(set) var entries: [String] = []
    private var byteCount = 0

    init?() {
        guard let handle = unsafe history_init() else { return nil }
        unsafe self.handle = unsafe handle
        _ = unsafe sealite_history_set_size(handle, CInt(Self.countLimit))
    }

    deinit { unsafe history_end(handle) }

    /// Adds an entry, unless it equals the last one or is too large; the oldest entries are removed if necessary.
    mutating func add(_ entry: String) {
        let size = entry.utf8.count
        guard !entry.isEmpty, size <= Self.byteLimit, entry != entries.last else { return }
        entries.append(entry)
        byteCount += size
        guard entries.count > Self.countLimit || byteCount > Self.byteLimit else {
            _ = unsafe sealite_history_enter(handle, entry)
            return
        }
        dropOldest()
        _ = unsafe sealite_history_clear(handle)
        for entry in entries { _ = unsafe sealite_history_enter(handle, entry) }
    }

    /// Removes enough of the oldest entries to free an eighth of the capacity, so that not every further entry causes a
    /// removal.
    private mutating func dropOldest() {
        var count = 0
        while entries.count - count > Self.countLimit * 7 / 8 || byteCount > Self.byteLimit * 7 / 8,
            count < entries.count - 1
        {
            byteCount -= entries[count].utf8.count
            count += 1
        }
        entries.removeFirst(count)
    }
}

/// A line that was typed at a prompt, or the event that ended it.
enum TypedLine: Equatable {
    case text(String)
    /// The line was discarded by ^C.
    case givenUp
    /// The end of input: ^D on an empty line, or a terminal that was closed.
    case end
}
