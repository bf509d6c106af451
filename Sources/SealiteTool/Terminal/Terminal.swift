import Glibc
import SealiteCrypto
import SealiteFile

/// The controlling terminal. https://man7.org/linux/man-pages/man4/tty.4.html
struct Terminal: ~Copyable {
    private let descriptor: CInt

    /// Asks for a secret of 1 to 1024 bytes, which is read without an echo into locked memory.
    static func secret(_ question: String) throws(ToolError) -> SecretBytes {
        let terminal = try Terminal()
        defer { terminal.restore() }
        try terminal.hideTyping()
        // A path in the question must not control the terminal.
        terminal.write(question.withoutControls + ": ")
        defer { terminal.write("\n") }
        return try terminal.readSecret()
    }

    /// Asks for a new secret twice, and throws an error if the two inputs differ.
    static func newSecret(_ question: String) throws(ToolError) -> SecretBytes {
        let first = try secret(question)
        let second = try secret("\(question), again")
        guard first.isEqual(to: second) else { throw .usage("the new secret was typed differently the second time") }
        return first
    }

    /// The other ways to pass a key, for commands that have no terminal to ask on.
    static let otherSources =
        "give the key with --passphrase-file, --passphrase-fd, --key-file or --recovery-key-file, or enter a passphrase"
        + " on the terminal with --prompt"

    /// Opens the process's controlling terminal.
    ///
    /// - Throws: a `ToolError` of invalid usage if the process has no controlling terminal.
    init() throws(ToolError) {
        descriptor = unsafe open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw .usage(
                "there is no terminal to ask a question or show a secret on: opening \"/dev/tty\" failed:"
                    + " \(unsafe String(cString: strerror(errno)))",
                hint: "run the command in a terminal, or use an option instead, such as --key-file,"
                    + " --recovery-key-file, --password-file or --yes")
        }
    }

    deinit { close(descriptor) }

    /// Writes a text to the terminal.
    func write(_ text: String) {
        var text = text
        text.withUTF8 { _ = unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
    }

    /// Writes a secret to the terminal, byte for byte.
    func write(_ secret: borrowing SecretBytes) {
        unsafe secret.withUnsafeBytes { _ = unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
    }

    /// Turns the echo off. The settings are saved first, so that a signal that ends the process restores them.
    private func hideTyping() throws(ToolError) {
        do throws(SealedFileError) {
            SavedTerminal.keep(try SecretTerminal.settings(of: descriptor))
            try SecretTerminal.hideTyping(on: descriptor)
        } catch {
            throw ToolError(.inputOutput, code: "io-error", error.reason)
        }
    }

    private func restore() { SavedTerminal.restore(on: descriptor) }

    private func readSecret() throws(ToolError) -> SecretBytes {
        do throws(SealedFileError) {
            return try SecretTerminal.line(from: descriptor)
        } catch {
            throw .usage(error.reason)
        }
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
