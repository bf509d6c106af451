internal import Glibc
public import SealiteCrypto

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
