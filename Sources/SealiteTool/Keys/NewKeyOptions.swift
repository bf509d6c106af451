import ArgumentParser
import Glibc
import SealiteCrypto
import SealiteFile

/// The secret of a new database's first slot, and an additional recovery key.
struct NewKeyOptions: ParsableArguments {
    @OptionGroup var own: OwnKeyOptions

    @Flag(help: "Create a random key in the credential store, and a recovery key.")
    var keyInStore = false

    @Flag(help: "With --key-in-store, don't create a recovery key. Without the store's key the database is lost.")
    var noRecoveryKey = false

    @Option("file", help: "Make a recovery key and write it to this new file.")
    var recoveryKeyFile: String?

    @Flag(help: "Make a recovery key and show it on the terminal.")
    var recoveryKey = false

    @Option(help: "A name for the first key slot, at most 32 bytes of UTF-8.")
    var label = ""

    @OptionGroup var cost: CostOptions
    @OptionGroup(title: HelpSections.store) var store: StoreOptions
    @OptionGroup(title: HelpSections.keys) var asking: AskingOptions

    func validate() throws {
        try ValidationError.requireOne(own.given + [("--key-in-store", keyInStore)])
        try ValidationError.requireOne(
            ("--recovery-key-file", recoveryKeyFile != nil), ("--recovery-key", recoveryKey),
            ("--no-recovery-key", noRecoveryKey))
        guard keyInStore || (!noRecoveryKey && !store.isNamed) else {
            throw ValidationError(
                "--no-recovery-key, --store, --store-collection, --vault, --vault-passphrase-file, --vault-passphrase-fd, --vault-key-file and --vault-recovery-key-file require --key-in-store."
            )
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
            stored.withdraw()
            throw error
        }
        Console.note("the key of \"\(path)\" is in \(stored.storeName)".withoutControls + "\n")
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
                    "give one with --passphrase-file, --passphrase-fd or --key-file, or enter a passphrase on the terminal with --prompt"
            )
        }
        return .passphrase(try Terminal.newSecret("New passphrase of \(path)"), cost: cost.cost)
    }

    /// The destination of the recovery key to create; nil if none was requested.
    var recovery: NewRecoveryKey.Destination? {
        recoveryKeyFile.map { .file($0) } ?? (recoveryKey || (keyInStore && !noRecoveryKey) ? .terminal : nil)
    }
}

/// The cost of opening a new passphrase slot.
struct CostOptions: ParsableArguments {
    @Option("n", help: "The cost of a new passphrase slot: scrypt's N is 2 to this power, 17 takes 128 MiB of memory.")
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

/// A number of bytes in a form for people: 1048576, 512M, 2G.
struct ByteCount: ExpressibleByArgument {
    let value: Int

    init?(argument: String) {
        let units: [Character: Int] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30]
        let unit = argument.last.flatMap { units[Character($0.uppercased())] }
        guard let number = Int(unit == nil ? argument : String(argument.dropLast())), number > 0 else { return nil }
        let (value, overflow) = number.multipliedReportingOverflow(by: unit ?? 1)
        guard !overflow else { return nil }
        self.value = value
    }
}
