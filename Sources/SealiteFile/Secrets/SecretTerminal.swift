package import Glibc
public import SealiteCrypto

/// Reads secrets from a terminal without an echo, directly into locked memory.
package enum SecretTerminal {
    private static let path = "/dev/tty"

    /// Returns the settings of a terminal, to which `restore(_:on:)` can set it back.
    ///
    /// - Throws: the error of the system call.
    package static func settings(of terminal: CInt) throws(SealedFileError) -> termios {
        var settings = termios()
        guard unsafe tcgetattr(terminal, &settings) == 0 else {
            throw SealedFileError(errno: errno, doing: "reading the settings of", path)
        }
        return settings
    }

    /// Turns the echo off, and discards pending input: what was typed ahead may have been echoed and isn't taken for
    /// the secret.
    ///
    /// - Throws: the error of the system call, or an error if the terminal still echoes.
    package static func hideTyping(on terminal: CInt) throws(SealedFileError) {
        var silent = try settings(of: terminal)
        silent.c_lflag &= ~tcflag_t(ECHO | ECHOE | ECHOK | ECHONL)
        silent.c_lflag |= tcflag_t(ICANON | ISIG)
        guard unsafe tcsetattr(terminal, TCSAFLUSH, &silent) == 0 else {
            throw SealedFileError(errno: errno, doing: "turning off the echo of", path)
        }
        // The call succeeds if it could make any one of the changes.
        guard try settings(of: terminal).c_lflag & tcflag_t(ECHO) == 0 else {
            throw SealedFileError(.inputOutput, "the echo of \"\(path)\" can't be turned off")
        }
    }

    /// Sets a terminal back to earlier settings. A failure has no remedy and is ignored.
    package static func restore(_ settings: termios, on terminal: CInt) {
        var settings = settings
        _ = unsafe tcsetattr(terminal, TCSADRAIN, &settings)
    }

    /// Reads one line.
    ///
    /// - Parameter terminal: a terminal whose echo is off.
    /// - Returns: the line without its end: 1 to 1024 bytes.
    /// - Throws: `invalidArgument` if the line is empty, too long or contains a NUL, and if the input ends before the
    ///   line does, since the secret may be cut off; the error of the system call if the terminal can't be read. The
    ///   rest of a line that is too long is discarded, so that the program that reads the terminal next doesn't get it.
    package static func line(from terminal: CInt) throws(SealedFileError) -> SecretBytes {
        let limit = SecretFile.passphraseByteLimit
        var (count, isWhole) = (0, false)
        let typed = try unsafe SecretBytes(byteCount: limit + 1) { buffer throws(SealedFileError) in
            while !isWhole, count < buffer.count, let start = buffer.baseAddress {
                let got = unsafe read(terminal, start + count, buffer.count - count)
                if got < 0, errno == EINTR { continue }
                guard got >= 0 else { throw SealedFileError(errno: errno, doing: "reading", path) }
                if got == 0 { break }
                count += got
                isWhole = unsafe buffer[count - 1] == UInt8(ascii: "\n")
            }
        }
        if isWhole { count -= 1 }
        guard count > 0 else { throw SealedFileError(.invalidArgument, "nothing was typed at the terminal") }
        guard count <= limit else {
            tcflush(terminal, TCIFLUSH)
            throw SealedFileError(.invalidArgument, "the text typed at the terminal has more than \(limit) bytes")
        }
        guard isWhole else {
            throw SealedFileError(
                .invalidArgument, "the terminal's input ended within the typed text, which may be cut off",
                hint: "end the text with the Enter key")
        }
        let line = unsafe typed.withUnsafeBytes {
            unsafe SecretBytes(copying: UnsafeRawBufferPointer(rebasing: $0[..<count]))
        }
        guard unsafe line.withUnsafeBytes({ unsafe !$0.contains(0) }) else {
            throw SealedFileError(.invalidArgument, "the text typed at the terminal contains a NUL byte")
        }
        return line
    }
}

extension SecretBytes {
    /// Asks for a secret on the terminal, which is read without an echo and directly into locked memory.
    ///
    /// - Parameter prompt: the question, such as `Passphrase: `.
    /// - Returns: the entry without its line end: 1 to 1024 bytes.
    /// - Throws: `invalidArgument` if the process has no terminal, or for an entry that is empty, too long, not ended
    ///   by a line end or contains a NUL; `inputOutput` if the echo can't be turned off or the terminal can't be read.
    public static func typed(prompt: String) throws(SealedFileError) -> SecretBytes {
        let terminal = unsafe open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard terminal >= 0 else {
            throw SealedFileError(
                .invalidArgument, "there is no terminal to ask on: \"/dev/tty\" can't be opened",
                hint: "pass the secret in a file or by a descriptor")
        }
        defer { close(terminal) }
        let settings = try SecretTerminal.settings(of: terminal)
        defer { SecretTerminal.restore(settings, on: terminal) }
        try SecretTerminal.hideTyping(on: terminal)
        let question = Array(prompt.utf8)
        _ = unsafe write(terminal, question, question.count)
        defer { _ = unsafe write(terminal, "\n", 1) }
        return try SecretTerminal.line(from: terminal)
    }
}
