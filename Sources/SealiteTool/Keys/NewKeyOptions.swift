import ArgumentParser
import Foundation
import SealiteCrypto
import SealiteFile

/// The secret of a new database's first slot, and an additional recovery key.
struct NewKeyOptions: ParsableArguments {
    @OptionGroup var own: OwnKeyOptions

    @Flag(help: "Create a random key in the credential store, and a recovery key.")
    var keyInStore = false

    @Flag(help: "With --key-in-store, don't create a recovery key. Without the store's key the database is lost.")
    var noRecoveryKey = false

    @Option(help: "Make a recovery key and write it to this new file.", completion: .file())
    var recoveryKeyFile: String?

    @Flag(help: "Make a recovery key and show it on the terminal.")
    var recoveryKey = false

    @Option(help: "A name for the first key slot, at most 32 bytes.")
    var label = ""

    @OptionGroup var cost: CostOptions
    @OptionGroup(title: HelpSections.store) var store: StoreOptions
    @OptionGroup(title: HelpSections.keys) var asking: AskingOptions

    func validate() throws {
        try KeyOptions.requireOne(own.given + [("--key-in-store", keyInStore)])
        try KeyOptions.requireOne(
            ("--recovery-key-file", recoveryKeyFile != nil), ("--recovery-key", recoveryKey),
            ("--no-recovery-key", noRecoveryKey))
        guard keyInStore || (!noRecoveryKey && !store.isNamed) else {
            throw ValidationError("--no-recovery-key, --store and --vault… go with --key-in-store.")
        }
    }

    /// Finds or creates the secret and passes it to `use`, with the id for its slot and a recovery key if one was
    /// requested. `use` returns the id of the database that it created.
    func withSecret(
        for path: String,
        _ use: (borrowing NewSlotSecret, _ slotID: [UInt8]?, _ recovery: RecoveryKey?) throws -> String
    ) throws {
        let destination = recovery
        if destination == .terminal { try Console.requireTerminal(for: keyInStore ? Self.noTerminal : nil) }
        guard keyInStore else {
            let secret = try secret(for: path)
            return try withRecovery(destination, path) { _ = try use(secret, nil, $0) }
        }
        let stored = try NewStoredKey(for: path, store, asking.permission)
        do {
            try withRecovery(destination, path) {
                let databaseID = try use(stored.secret, stored.slotID, $0)
                stored.note(path, databaseID: databaseID)
            }
        } catch {
            if !FileManager.default.fileExists(atPath: path) { stored.withdraw() }
            throw error
        }
        Console.note("its key is in \(stored.storeName)".withoutControls + "\n")
    }

    private static let noTerminal =
        "there is no terminal to show the recovery key on: give --recovery-key-file, or decline with --no-recovery-key"

    private func withRecovery(
        _ destination: NewRecoveryKey.Destination?, _ database: String, _ use: (RecoveryKey?) throws -> Void
    ) throws {
        guard let destination else { return try use(nil) }
        try NewRecoveryKey.make(destination, for: database) { try use($0) }
    }

    /// Returns the secret, by the search order of `KeyOptions`.
    private func secret(for path: String) throws -> NewSlotSecret {
        if let source = try own.source ?? KeyOptions.standardSource() { return try source.newSecret(cost: cost.cost) }
        guard asking.permission.isGiven else {
            throw ToolError.usage(
                "no key for \"\(path)\" was given",
                hint:
                    "give one with --passphrase-file, --passphrase-fd or --key-file, or allow a question with --prompt")
        }
        return .passphrase(try Terminal.newSecret("New passphrase of \(path)"), cost: cost.cost)
    }

    /// The destination of the recovery key to create; nil if none was requested.
    var recovery: NewRecoveryKey.Destination? {
        recoveryKeyFile.map { .file($0) } ?? (recoveryKey || (keyInStore && !noRecoveryKey) ? .terminal : nil)
    }
}

/// The secret of a slot that is added or changed.
struct NewSlotOptions: ParsableArguments {
    @Option(help: "Read the new passphrase from this file.", completion: .file())
    var newPassphraseFile: String?

    @Option(help: ArgumentHelp("Read the new passphrase from this open file descriptor.", valueName: "n"))
    var newPassphraseFd: Int32?

    @Option(help: "Read the new raw key from this file: 32 bytes, or 64 hex digits.", completion: .file())
    var newKeyFile: String?

    @Option(help: "Make a recovery key and write it to this new file.", completion: .file())
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

    /// Finds the secret and passes it to `use`; a recovery key is written to its file before that and shown on the
    /// terminal afterwards.
    func withSecret(
        for path: String, asking: Console.Permission, _ use: (borrowing NewSlotSecret) throws -> Void
    ) throws {
        if let destination = newRecoveryKeyFile.map({ NewRecoveryKey.Destination.file($0) })
            ?? (newRecoveryKey ? .terminal : nil)
        {
            return try NewRecoveryKey.make(destination) { try use(.recovery($0)) }
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
                "no new key was given",
                hint: "give it with --new-passphrase-file, --new-passphrase-fd, --new-key-file or"
                    + " --new-recovery-key-file, or allow a question with --prompt")
        }
        return .passphrase(try Terminal.newSecret("New passphrase of \(path)"), cost: cost.cost)
    }
}

/// The cost of opening a new passphrase slot.
struct CostOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The cost of a new passphrase slot: scrypt's N is 2 to this power.", valueName: "n"))
    var kdfLogN = Scrypt.Cost.default.logN

    var cost: Scrypt.Cost { Scrypt.Cost(logN: kdfLogN) }

    func validate() throws {
        do throws(CryptoError) {
            try cost.check()
        } catch {
            throw ValidationError("--kdf-log-n \(kdfLogN): \(error.reason).")
        }
    }
}
