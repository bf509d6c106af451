internal import Glibc
public import SealiteCrypto

extension SecretBytes {
    /// Asks for a secret on the terminal, which is read without an echo and directly into locked memory.
    ///
    /// - Parameter prompt: the question, such as `Passphrase: `.
    /// - Returns: the typed line without its end: 1 to 1024 bytes.
    /// - Throws: `invalidArgument` if the process has no terminal, or for an entry that is empty or too long.
    public static func typed(prompt: String) throws(SealedFileError) -> SecretBytes {
        let terminal = unsafe open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard terminal >= 0 else { throw SealedFileError(.invalidArgument, "there is no terminal to ask on") }
        defer { close(terminal) }
        var settings = termios()
        guard unsafe tcgetattr(terminal, &settings) == 0 else {
            throw SealedFileError(errno: errno, doing: "reading", "/dev/tty")
        }
        var silent = settings
        silent.c_lflag &= ~tcflag_t(ECHO | ECHOE | ECHOK | ECHONL)
        silent.c_lflag |= tcflag_t(ICANON | ISIG)
        // What was typed ahead, perhaps echoed, isn't taken for the secret.
        _ = unsafe tcsetattr(terminal, TCSAFLUSH, &silent)
        defer {
            _ = unsafe tcsetattr(terminal, TCSADRAIN, &settings)
            _ = unsafe write(terminal, "\n", 1)
        }
        let question = Array(prompt.utf8)
        _ = unsafe write(terminal, question, question.count)
        return try line(from: terminal)
    }

    private static func line(from terminal: CInt) throws(SealedFileError) -> SecretBytes {
        let limit = SecretFile.passphraseByteLimit
        var count = 0
        let typed = unsafe SecretBytes(byteCount: limit + 1) { buffer in
            while count < buffer.count, let start = buffer.baseAddress {
                let got = unsafe read(terminal, start + count, buffer.count - count)
                if got < 0, errno == EINTR { continue }
                guard got > 0 else { break }
                count += got
                if unsafe buffer[count - 1] == UInt8(ascii: "\n") {
                    count -= 1
                    break
                }
            }
        }
        guard count > 0 else { throw SealedFileError(.invalidArgument, "the entry is empty") }
        guard count <= limit else { throw SealedFileError(.invalidArgument, "the entry has more than \(limit) bytes") }
        return unsafe typed.withUnsafeBytes {
            unsafe SecretBytes(copying: UnsafeRawBufferPointer(rebasing: $0[..<count]))
        }
    }
}
