import ArgumentParser
import SealiteFile
import SealiteMaintenance

/// The options of `sealite encrypt` for a database that another program encrypted.
struct ForeignOptions: ParsableArguments {
    @Option(
        "cipher", name: .customLong("from"),
        help:
            "Read a database that SQLCipher or SQLite3MultipleCiphers encrypted: sqlcipher, chacha20, aes256cbc or aes128cbc."
    )
    var cipher: CipherName?

    @Option("file", help: "With --from, read the old passphrase from this file, without a trailing line end.")
    var oldPassphraseFile: String?

    @Option("n", help: "With --from, read the old passphrase from this open file descriptor.")
    var oldPassphraseFd: Int32?

    @Option("file", help: "With --from, read the old raw key from this file: 64 hex digits, or 96 with the salt.")
    var oldKeyFile: String?

    @Option(
        "name=value",
        help:
            "With --from, a setting by the name of the other program's pragma, such as cipher_compatibility=3. May be repeated."
    )
    var oldSetting: [String] = []

    @Flag(
        help: "With --from, read a database whose pages aren't authenticated: it may have been changed without the key."
    )
    var acceptUnauthenticated = false

    @Flag(help: "With --from, leave out damaged pages and carry over the rest, as 'sealite salvage' does.")
    var skipDamaged = false

    func validate() throws {
        try ValidationError.requireOne(
            ("--old-passphrase-file", oldPassphraseFile != nil), ("--old-passphrase-fd", oldPassphraseFd != nil),
            ("--old-key-file", oldKeyFile != nil))
        let isNamed = oldPassphraseFile != nil || oldPassphraseFd != nil || oldKeyFile != nil
        guard cipher != nil || !isNamed && oldSetting.isEmpty && !acceptUnauthenticated && !skipDamaged else {
            throw ValidationError(
                "--old-passphrase-file, --old-passphrase-fd, --old-key-file, --old-setting, --accept-unauthenticated and --skip-damaged require --from."
            )
        }
        _ = try encryption()
    }

    /// Returns the encryption of the old database; nil if it isn't encrypted.
    ///
    /// - Throws: `ValidationError` for an unknown setting.
    func encryption() throws -> ForeignEncryption? {
        guard let cipher else { return nil }
        guard let known = cipher.cipher else {
            throw ValidationError(
                "--from \(cipher.name): databases with this cipher aren't read. In the shell of SQLite3MultipleCiphers, PRAGMA cipher='chacha20'; PRAGMA rekey='…' changes the cipher; then copy the database with --from chacha20."
            )
        }
        var encryption = ForeignEncryption(known)
        for setting in oldSetting {
            let parts = setting.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else {
                throw ValidationError("--old-setting '\(setting)' isn't of the form name=value.")
            }
            do throws(SealedFileError) {
                try encryption.set(parts[0], to: parts[1])
            } catch {
                throw ValidationError("--old-setting: \(error.description).")
            }
        }
        return encryption
    }

    /// Reads the key of the old database, or asks for its passphrase.
    func key(of path: String, _ permission: Console.Permission) throws -> ForeignKey {
        if let oldKeyFile { return try .rawKey(from: KeySource.file(oldKeyFile)) }
        if let oldPassphraseFile { return .passphrase(try KeySource.file(oldPassphraseFile).passphrase()) }
        if let oldPassphraseFd { return .passphrase(try SecretFile.descriptor(oldPassphraseFd).passphrase()) }
        guard permission.isGiven else {
            throw ToolError.usage(
                "no key for \"\(path)\" was given",
                hint: "give the old one with --old-passphrase-file, --old-passphrase-fd or --old-key-file, or enter a"
                    + " passphrase on the terminal with --prompt")
        }
        return .passphrase(try Terminal.secret("Old passphrase of \(path)"))
    }
}

/// A cipher of another program on the command line.
struct CipherName: ExpressibleByArgument {
    let name: String
    /// Nil for a cipher of SQLite3MultipleCiphers that OpenSSL doesn't have, or that is broken.
    let cipher: ForeignEncryption.Cipher?

    private static let unread: Set = ["aegis", "ascon128", "rc4"]

    static var allValueStrings: [String] { ForeignEncryption.Cipher.allCases.map(\.rawValue) }

    init?(argument: String) {
        name = argument.lowercased()
        cipher = ForeignEncryption.Cipher(rawValue: name)
        guard cipher != nil || Self.unread.contains(name) else { return nil }
    }
}
