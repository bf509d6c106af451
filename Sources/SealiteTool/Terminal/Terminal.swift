import Glibc
import SealiteCrypto

/// The controlling terminal. https://man7.org/linux/man-pages/man4/tty.4.html
struct Terminal: ~Copyable {
    private let descriptor: CInt

    /// Asks for a secret of 1 to 1024 bytes, which is read without an echo into locked memory.
    static func secret(_ question: String) throws(ToolError) -> SecretBytes {
        let terminal = try Terminal()
        try terminal.hideTyping()
        defer { terminal.restore() }
        // A path in the question must not control the terminal.
        terminal.write(question.withoutControls + ": ")
        defer { terminal.write("\n") }
        return try terminal.readSecret()
    }

    /// Asks for a secret that is being set, twice.
    static func newSecret(_ question: String) throws(ToolError) -> SecretBytes {
        let first = try secret(question)
        let second = try secret("\(question), again")
        guard first.isEqual(to: second) else { throw .usage("the two entries differ") }
        return first
    }

    /// The other ways to pass a key, for commands that have no terminal to ask on.
    static let otherSources =
        "give the key with --passphrase-file, --passphrase-fd, --key-file or --recovery-key-file, or allow a question"
        + " with --prompt"

    /// Opens the terminal.
    ///
    /// - Throws: a `ToolError` of usage where the process has none.
    init() throws(ToolError) {
        descriptor = unsafe open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw .usage("there is no terminal to ask on", hint: Self.otherSources)
        }
    }

    deinit { close(descriptor) }

    /// Writes a text.
    func write(_ text: String) {
        var text = text
        text.withUTF8 { _ = unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
    }

    /// Writes a secret, byte for byte.
    func write(_ secret: borrowing SecretBytes) {
        unsafe secret.withUnsafeBytes { _ = unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
    }

    private func hideTyping() throws(ToolError) {
        var settings = termios()
        guard unsafe tcgetattr(descriptor, &settings) == 0 else {
            throw ToolError(.inputOutput, code: "io-error", "the terminal can't be read")
        }
        SavedTerminal.keep(settings)
        settings.c_lflag &= ~tcflag_t(ECHO | ECHOE | ECHOK | ECHONL)
        settings.c_lflag |= tcflag_t(ICANON | ISIG)
        // What was typed ahead, perhaps echoed, isn't taken for the secret.
        _ = unsafe tcsetattr(descriptor, TCSAFLUSH, &settings)
    }

    private func restore() { SavedTerminal.restore(on: descriptor) }

    private func readSecret() throws(ToolError) -> SecretBytes {
        let limit = 1024
        var count = 0
        let typed = unsafe SecretBytes(byteCount: limit + 2) { buffer in
            while count < buffer.count, let start = buffer.baseAddress {
                let got = unsafe read(descriptor, start + count, buffer.count - count)
                if got < 0, errno == EINTR { continue }
                guard got > 0 else { break }
                count += got
                if unsafe buffer[count - 1] == UInt8(ascii: "\n") {
                    count -= 1
                    break
                }
            }
        }
        guard count > 0 else { throw .usage("the entry is empty") }
        guard count <= limit else { throw .usage("more than \(limit) bytes were typed") }
        let secret = unsafe typed.withUnsafeBytes {
            unsafe SecretBytes(copying: UnsafeRawBufferPointer(rebasing: $0[..<count]))
        }
        guard unsafe secret.withUnsafeBytes({ unsafe !$0.contains(0) }) else {
            throw .usage("a NUL byte was typed")
        }
        return secret
    }

    /// Reads the typed text up to the end of a line; nil at the end of input.
    func readLine() -> String? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while unsafe read(descriptor, &byte, 1) == 1 {
            if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte)
        }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }
}
