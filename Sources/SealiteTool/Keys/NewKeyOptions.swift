import ArgumentParser
import SealiteCrypto
import SealiteFile

/// The secret of a new database's first slot, and the recovery key beside it.
struct NewKeyOptions: ParsableArguments {
    @Option(help: "Read the passphrase from this file: all of it but one trailing line end.", completion: .file())
    var passphraseFile: String?

    @Option(help: ArgumentHelp("Read the passphrase from this open file descriptor.", valueName: "n"))
    var passphraseFd: Int32?

    @Option(help: "Read the raw key from this file: 32 bytes, or 64 hex digits.", completion: .file())
    var keyFile: String?

    @Option(help: "Make a recovery key and write it to this new file.", completion: .file())
    var recoveryKeyFile: String?

    @Flag(help: "Make a recovery key and show it on the terminal.")
    var recoveryKey = false

    @Option(help: "A name for the first key slot, at most 32 bytes.")
    var label = ""

    @OptionGroup var cost: CostOptions
    @OptionGroup var asking: AskingOptions

    func validate() throws {
        try KeyOptions.requireOne(
            ("--passphrase-file", passphraseFile != nil), ("--passphrase-fd", passphraseFd != nil),
            ("--key-file", keyFile != nil))
        try KeyOptions.requireOne(("--recovery-key-file", recoveryKeyFile != nil), ("--recovery-key", recoveryKey))
    }

    /// Finds the secret, by the search order of `KeyOptions`.
    func secret(for path: String) throws -> NewSlotSecret {
        if let passphraseFile { return try KeySource(.passphrase, passphraseFile).newSecret(cost: cost.cost) }
        if let passphraseFd { return try KeySource(.passphrase, descriptor: passphraseFd).newSecret(cost: cost.cost) }
        if let keyFile { return try KeySource(.rawKey, keyFile).newSecret(cost: cost.cost) }
        if let source = try KeySource.ofSystemd() { return try source.newSecret(cost: cost.cost) }
        guard asking.permission.isGiven else {
            throw ToolError.usage(
                "no key for \"\(path)\" was given",
                hint:
                    "give one with --passphrase-file, --passphrase-fd or --key-file, or allow a question with --prompt")
        }
        return .passphrase(NewPassphrase(try Console.newSecret("New passphrase of \(path)"), cost: cost.cost))
    }

    /// The recovery key to make, if one was asked for.
    var recovery: NewRecoveryKey.Destination? {
        recoveryKeyFile.map { .file($0) } ?? (recoveryKey ? .terminal : nil)
    }
}

/// The secret of a slot that is added to a database, or changed.
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

    /// Whether any of them was given.
    var isGiven: Bool {
        newPassphraseFile != nil || newPassphraseFd != nil || newKeyFile != nil || newRecoveryKeyFile != nil
            || newRecoveryKey
    }

    /// Finds the secret and hands it to `use`; a recovery key is written before and shown after.
    func withSecret(
        for path: String, asking: Console.Permission, _ use: (borrowing NewSlotSecret) throws -> Void
    ) throws {
        if let destination = newRecoveryKeyFile.map({ NewRecoveryKey.Destination.file($0) })
            ?? (newRecoveryKey ? .terminal : nil)
        {
            return try NewRecoveryKey.make(destination) { try use(.recovery(publicKey: $0)) }
        }
        try use(try secret(for: path, asking: asking))
    }

    private func secret(for path: String, asking: Console.Permission) throws -> NewSlotSecret {
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
        return .passphrase(NewPassphrase(try Console.newSecret("New passphrase of \(path)"), cost: cost.cost))
    }
}

/// What a new passphrase slot costs to open.
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
