import ArgumentParser
import SealiteFile
import SealiteMaintenance

/// The secret of a slot that is added or changed.
struct NewSlotOptions: ParsableArguments {
    @Option("file", help: "Read the new passphrase from this file.")
    var newPassphraseFile: String?

    @Option("n", help: "Read the new passphrase from this open file descriptor.")
    var newPassphraseFd: Int32?

    @Option("file", help: "Read the new raw key from this file: 32 bytes, or 64 hex digits.")
    var newKeyFile: String?

    @Option("file", help: "Make a recovery key and write it to this new file.")
    var newRecoveryKeyFile: String?

    @Flag(help: "Make a recovery key and show it on the terminal.")
    var newRecoveryKey = false

    @OptionGroup var cost: CostOptions

    func validate() throws {
        try ValidationError.requireOne(
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
        let source = KeySource.named(
            passphraseFile: newPassphraseFile, passphraseFd: newPassphraseFd, keyFile: newKeyFile)
        if let source { return try source.newSecret(cost: cost.cost) }
        guard asking.isGiven else {
            throw ToolError.usage(
                "no new passphrase or key for \"\(path)\" was given",
                hint: "give it with --new-passphrase-file, --new-passphrase-fd, --new-key-file or"
                    + " --new-recovery-key-file, or enter a passphrase on the terminal with --prompt")
        }
        return .passphrase(try Terminal.newSecret("New passphrase of \(path)"), cost: cost.cost)
    }
}

/// The key slot of a copy that doesn't keep the slots of its source.
struct CopySlotOptions: ParsableArguments {
    @OptionGroup var new: NewSlotOptions

    @Flag(help: "Ask on the terminal for a new passphrase, which opens the copy.")
    var newPassphrase = false

    @Option("label", help: "A name for the copy's key slot, at most 32 bytes of UTF-8.")
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

/// Creates a recovery key and writes it to its destination. The key is never a part of the output.
enum NewRecoveryKey {
    enum Destination: Equatable {
        /// A new file, mode 0600.
        case file(String)
        /// The terminal only.
        case terminal
    }

    /// Creates a key, saves the private half, durably in its file or by showing it on the terminal, and then passes the
    /// key to `use`, which seals with it in the file at the path `database`.
    ///
    /// If `use` fails, the key's file is removed only if it is certain that `database` has no slot of the key. If a
    /// signal ends the process, the key's file is removed only if `database` was to be created and doesn't exist.
    static func make(
        _ destination: Destination, for database: String, _ use: (RecoveryKey) throws -> Void
    ) throws {
        let key = try RecoveryKey()
        let check = NewSlotCheck(before: database)
        switch destination {
        case .file(let path):
            let file = try newFile(path)
            if check.isOfNewFile { TemporaryNames.keep(path, onlyWith: database) }
            defer { TemporaryNames.keep(path, onlyWith: nil) }
            try file.write(try key.paperForm())
            try file.write(Array("\n".utf8))
            try file.publish()
            try seal(with: key, in: database, check, use) { file.unpublish() }
        case .terminal:
            try Console.show(
                try key.paperForm(),
                before: "\nRecovery key of \"\(database)\", fingerprint \(key.fingerprint)".withoutControls
                    + "\nWrite both lines down now; the key is shown once:\n\n    ",
                after: "\n\n")
            try seal(with: key, in: database, check, use) {
                Console.warn("recovery-key-unused", "the recovery key that was shown isn't used: it opens nothing")
            }
        }
    }

    /// Passes the key to `use`. If that fails, calls `discard` if no slot has the key, and otherwise warns that the key
    /// must be kept.
    private static func seal(
        with key: RecoveryKey, in database: String, _ check: NewSlotCheck, _ use: (RecoveryKey) throws -> Void,
        orDiscard discard: () -> Void
    ) throws {
        do {
            try use(key)
        } catch {
            let fingerprint = key.fingerprint
            // An empty fingerprint, after a failure of OpenSSL, is that of no slot.
            if fingerprint.isEmpty || check.mayHaveSlot(where: { $0.fingerprint == fingerprint }) {
                Console.warn(
                    "recovery-key-kept",
                    "the new recovery key may open \"\(database)\" although the command failed: keep it until"
                        + " 'sealite key check' shows that it doesn't")
            } else {
                discard()
            }
            throw error
        }
    }

    private static func newFile(_ path: String) throws(SealedFileError) -> NewFile {
        do throws(SealedFileError) {
            return try NewFile(path)
        } catch {
            guard error.code == .exists else { throw error }
            throw SealedFileError(
                .exists, error.reason,
                hint:
                    "choose another name; if a run that was killed left the file, and didn't make the database or key slot that it was for, remove the file"
            )
        }
    }
}

/// A check, after the creation or a change of a database has failed, whether the file has a new key slot nevertheless,
/// whose key must then be kept.
///
/// A failure doesn't mean that nothing was written: if the second of the two header copies can't be written or synced,
/// the first one, with the new slot, is already in force.
struct NewSlotCheck {
    private let path: String
    /// A Boolean value that says whether there was no file at the path before.
    let isOfNewFile: Bool

    /// Notes the state before the file at `path` is created or changed.
    init(before path: String) {
        self.path = path
        isOfNewFile = !FilePermissions.exists(path)
    }

    /// Returns false only if it is certain that the file has no slot for which `isWanted` returns true.
    func mayHaveSlot(where isWanted: (SlotInfo) -> Bool) -> Bool {
        if isOfNewFile, !FilePermissions.exists(path) { return false }
        guard let header = try? SealedDatabase.publicHeader(of: path) else { return true }
        return header.slots.contains(where: isWanted)
    }
}
