import ArgumentParser
import SealiteCrypto
import SealiteFile

/// The key slot of a copy that doesn't get those of its source.
struct CopySlotOptions: ParsableArguments {
    @OptionGroup var new: NewSlotOptions

    @Flag(help: "Ask for a new passphrase.")
    var newPassphrase = false

    @Option(help: "A name for the copy's key slot, at most 32 bytes.")
    var newLabel: String?

    func validate() throws {
        guard !(newPassphrase && new.isGiven) else {
            throw ValidationError("--new-passphrase and another --new-… can't be given together.")
        }
        guard newLabel == nil || isGiven else {
            throw ValidationError("--new-label needs a new secret: --new-passphrase-file, --new-key-file or another.")
        }
    }

    /// Whether the copy gets a slot of its own.
    var isGiven: Bool { newPassphrase || new.isGiven }

    var options: BackupSlotOptions { BackupSlotOptions(label: newLabel ?? "") }
}
