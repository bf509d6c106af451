import ArgumentParser
import Foundation
import SealiteCrypto
import SealiteFile

/// The secret of a slot that is added or changed.
struct NewSlotOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Read the new passphrase from this file.", valueName: "file"), completion: .file())
    var newPassphraseFile: String?

    @Option(help: ArgumentHelp("Read the new passphrase from this open file descriptor.", valueName: "n"))
    var newPassphraseFd: Int32?

    @Option(
        help: ArgumentHelp("Read the new raw key from this file: 32 bytes, or 64 hex digits.", valueName: "file"),
        completion: .file())
    var newKeyFile: String?

    @Option(
        help: ArgumentHelp("Make a recovery key and write it to this new file.", valueName: "file"), completion: .file()
    )
    var newRecoveryKeyFile: String?

    @Flag(help: "Make a recovery key and show it on the terminal.")
    var newRecoveryKey = false

    @OptionGroup var cost: CostOptions

    func validate() throws {
        try KeyOptions.requireOne(
            ("--new-passphrase-file", newPassphraseFile != nil), ("--new-passphrase-fd", newPassphraseFd != nil),
            ("--new-key-file", newKeyFile != nil), ("--new-recovery-key-file", newRecoveryKeyFile != nil),
            ("--new-recovery-key", newRecoveryKey))
    }

    /// A Boolean value that says whether any of the options was given.
    var isGiven: Bool {
        newPassphraseFile != nil || newPassphraseFd != nil || newKeyFile != nil || newRecoveryKeyFile != nil
            || newRecoveryKey
    }

    /// The kind of the new secret; a passphrase is asked for if no option was given.
    var kind: SlotKind {
        newRecoveryKeyFile != nil || newRecoveryKey ? .recovery : newKeyFile != nil ? .rawKey : .passphrase
    }

    /// Finds the secret for a slot of the file at `path`, which may not exist yet, and passes it to `use`. A recovery
    /// key is written to its file or shown on the terminal before that.
    func withSecret(
        for path: String, asking: Console.Permission, _ use: (borrowing NewSlotSecret) throws -> Void
    ) throws {
        if let destination = newRecoveryKeyFile.map({ NewRecoveryKey.Destination.file($0) })
            ?? (newRecoveryKey ? .terminal : nil)
        {
            return try NewRecoveryKey.make(destination, for: path) { try use(.recovery($0)) }
        }
        try use(try secret(for: path, asking: asking))
    }

    func secret(for path: String, asking: Console.Permission) throws -> NewSlotSecret {
        if let newPassphraseFile { return try KeySource(.passphrase, newPassphraseFile).newSecret(cost: cost.cost) }
        if let newPassphraseFd {
            return try KeySource(.passphrase, descriptor: newPassphraseFd).newSecret(cost: cost.cost)
        }
        if let newKeyFile { return try KeySource(.rawKey, newKeyFile).newSecret(cost: cost.cost) }
        guard asking.isGiven else {
            throw ToolError.usage(
                "no new passphrase or key for \"\(path)\" was given",
                hint: "give it with --new-passphrase-file, --new-passphrase-fd, --new-key-file or"
                    + " --new-recovery-key-file, or enter a passphrase on the terminal with --prompt")
        }
        return .passphrase(try Terminal.newSecret("New passphrase of \(path)"), cost: cost.cost)
    }
}
