import ArgumentParser
import Glibc
import SealiteCrypto
import SealiteFile
import SealiteMaintenance

/// The options that name a passphrase or a raw key, of a database that exists or is created.
struct OwnKeyOptions: ParsableArguments {
    @Option(
        name: [.customShort("p"), .long],
        help: ArgumentHelp("Read the passphrase from this file, without a trailing line end.", valueName: "file"),
        completion: .file())
    var passphraseFile: String?

    @Option(help: ArgumentHelp("Read the passphrase from this open file descriptor.", valueName: "n"))
    var passphraseFd: Int32?

    @Option(
        help: ArgumentHelp(
            "Read the passphrase from the output of this shell command, such as 'pass show notes'.",
            valueName: "command"))
    var passphraseCommand: String?

    @Option(
        name: [.customShort("k"), .long],
        help: ArgumentHelp(
            "Read the raw key from this file, which 'sealite keygen' makes: 32 bytes, or 64 hex digits.",
            valueName: "file"), completion: .file())
    var keyFile: String?

    /// The options, and whether each was given.
    var given: [(name: String, isGiven: Bool)] {
        [
            ("--passphrase-file", passphraseFile != nil), ("--passphrase-fd", passphraseFd != nil),
            ("--passphrase-command", passphraseCommand != nil), ("--key-file", keyFile != nil),
        ]
    }

    /// The source that the options name; nil if there is none.
    var source: KeySource? {
        if let passphraseFile { return KeySource(.passphrase, passphraseFile) }
        if let passphraseFd { return KeySource(.passphrase, descriptor: passphraseFd) }
        if let passphraseCommand { return KeySource(command: passphraseCommand) }
        return keyFile.map { KeySource(.rawKey, $0) }
    }
}
