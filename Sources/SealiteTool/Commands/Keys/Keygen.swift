import ArgumentParser
import SealiteCrypto
import SealiteFile

/// The command `sealite keygen`, which creates a key file with 32 random bytes as 64 hexadecimal digits.
struct Keygen: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keygen",
        abstract: "Make a key file: 32 random bytes, as 64 hex digits.",
        discussion: """
            Creates a new file, which only its owner can read (mode 0600). Without -o the key is written to standard \
            output, if that isn't a terminal. Keep a copy in another place: without the key, its databases are lost.

            Example: sealite keygen -o notes.key
            """)

    @Option("file", name: .shortAndLong, help: "The key file to make.")
    var output: String?

    @OptionGroup var report: OutputOptions

    func run() throws {
        guard let output else {
            guard !Console.outputIsTerminal else {
                throw ToolError.usage("a key isn't shown on a terminal", hint: "name a file with -o")
            }
            return Console.write(try Self.line())
        }
        let file = try NewFile(output)
        try file.write(try Self.line())
        try file.publish()
        report.confirm("made the key file \"\(output)\"; keep a copy of it in another place", json: ["path": output])
    }

    /// Returns a new key as hex digits and a line end.
    private static func line() throws -> SecretBytes {
        let key = try SecretBytes.random(byteCount: 32)
        return unsafe SecretBytes(byteCount: 65) { buffer in
            unsafe key.withUnsafeBytes { bytes in
                for index in bytes.indices {
                    unsafe buffer[2 * index] = Hexadecimal.digit(bytes[index] >> 4)
                    unsafe buffer[2 * index + 1] = Hexadecimal.digit(bytes[index] & 15)
                }
            }
            unsafe buffer[64] = UInt8(ascii: "\n")
        }
    }
}
