import ArgumentParser
import Glibc
import SealiteCrypto
import SealiteFile
import SealiteMaintenance

/// The options that name a key, and the slot that it opens.
struct KeySourceOptions: ParsableArguments {
    @OptionGroup(title: HelpSections.keys) var own: OwnKeyOptions

    @Option(
        help: ArgumentHelp("Read the recovery key, as it was printed, from this file.", valueName: "file"),
        completion: .file())
    var recoveryKeyFile: String?

    @Option(
        help: ArgumentHelp(
            "Unlock with this key slot only: its number or its label in 'sealite key list'.", valueName: "slot"))
    var unlockSlot: SlotName?

    @Option(
        help: ArgumentHelp(
            "The maximum memory for unlocking a passphrase slot, such as 512M or 2G. Default: 1G.", valueName: "bytes"))
    var maxKdfMemory: ByteCount?

    func validate() throws {
        try KeyOptions.requireOne(own.given + [("--recovery-key-file", recoveryKeyFile != nil)])
    }

    /// The source that the command line names; nil if there is none.
    var onCommandLine: KeySource? { own.source ?? recoveryKeyFile.map { KeySource(.recovery, $0) } }

    /// A Boolean value that says whether the key is read from standard input, which then contains nothing else.
    var readsStandardInput: Bool {
        own.passphraseFd == STDIN_FILENO
            || [own.passphraseFile, own.keyFile, recoveryKeyFile].contains { path in
                path.map { KeySource.descriptor(named: $0) == STDIN_FILENO } ?? false
            }
    }
}
