import ArgumentParser
import SealiteCrypto
import SealiteFile
import SealiteMaintenance

/// The key slot of a copy that doesn't keep the slots of its source.
struct CopySlotOptions: ParsableArguments {
    @OptionGroup var new: NewSlotOptions

    @Flag(help: "Ask on the terminal for a new passphrase, which opens the copy.")
    var newPassphrase = false

    @Option(help: ArgumentHelp("A name for the copy's key slot, at most 32 bytes of UTF-8.", valueName: "label"))
    var newLabel: String?

    func validate() throws {
        guard !(newPassphrase && new.isGiven) else {
            throw ValidationError(
                "--new-passphrase can't be given together with --new-passphrase-file, --new-passphrase-fd, --new-key-file, --new-recovery-key-file or --new-recovery-key."
            )
        }
        guard newLabel == nil || isGiven else {
            throw ValidationError(
                "--new-label requires a new secret for the copy: --new-passphrase, --new-passphrase-file, --new-passphrase-fd, --new-key-file, --new-recovery-key-file or --new-recovery-key."
            )
        }
    }

    /// A Boolean value that says whether options request a new slot for the copy, which then has none of its source's
    /// slots.
    var isGiven: Bool { newPassphrase || new.isGiven }

    private var options: BackupSlotOptions { BackupSlotOptions(label: newLabel ?? "") }

    /// Copies a database, with a slot of its own if one was requested and otherwise with the slots of its source, and
    /// reports progress. Returns the result of the closure that made the copy; nil if none was called.
    func copy<R>(
        _ source: SealedDatabase, to destination: String, key: KeyOptions, json: Bool,
        withSlot: (borrowing NewSlotSecret, BackupSlotOptions, @escaping BackupProgressHandler) throws -> R,
        withSlotsOfSource: (@escaping BackupProgressHandler) throws -> R
    ) throws -> R? {
        let progress = ProgressReporter(json: json)
        defer { progress.finish() }
        let report: BackupProgressHandler = { progress.report($0, pageSize: source.pageSize) }
        guard isGiven else { return try withSlotsOfSource(report) }
        var made: R?
        try new.withSecret(for: destination, asking: key.asking.permission) {
            made = try withSlot($0, options, report)
        }
        return made
    }
}
