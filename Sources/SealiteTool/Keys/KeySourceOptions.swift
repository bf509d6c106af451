import ArgumentParser
import Glibc
import SealiteCrypto
import SealiteFile
import SealiteMaintenance

/// The options that name a key, and the slot that it opens.
struct KeySourceOptions: ParsableArguments {
    @Option(
        name: [.customShort("p"), .long], help: "Read the passphrase from this file, without a trailing line end.",
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
        name: [.customShort("k"), .long], help: "Read the raw key from this file: 32 bytes, or 64 hex digits.",
        completion: .file())
    var keyFile: String?

    @Option(help: "Read the recovery key, as it was printed, from this file.", completion: .file())
    var recoveryKeyFile: String?

    @Option(
        help: ArgumentHelp(
            "Unlock with this key slot only: its number or its label in 'sealite key list'.", valueName: "slot"))
    var unlockSlot: SlotName?

    @Option(help: ArgumentHelp("The maximum memory for unlocking a slot, such as 2G.", valueName: "bytes"))
    var maxKdfMemory: ByteCount?

    func validate() throws {
        try KeyOptions.requireOne(
            ("--passphrase-file", passphraseFile != nil), ("--passphrase-fd", passphraseFd != nil),
            ("--passphrase-command", passphraseCommand != nil), ("--key-file", keyFile != nil),
            ("--recovery-key-file", recoveryKeyFile != nil))
    }

    /// The source that the command line names; nil if there is none.
    var onCommandLine: KeySource? {
        if let passphraseFile { return KeySource(.passphrase, passphraseFile) }
        if let passphraseFd { return KeySource(.passphrase, descriptor: passphraseFd) }
        if let passphraseCommand { return KeySource(command: passphraseCommand) }
        if let keyFile { return KeySource(.rawKey, keyFile) }
        return recoveryKeyFile.map { KeySource(.recovery, $0) }
    }

    /// A Boolean value that says whether the key is read from standard input, which then contains nothing else.
    var readsStandardInput: Bool {
        passphraseFd == STDIN_FILENO
            || [passphraseFile, keyFile, recoveryKeyFile].contains { path in
                path.map { KeySource.descriptor(named: $0) == STDIN_FILENO } ?? false
            }
    }
}
