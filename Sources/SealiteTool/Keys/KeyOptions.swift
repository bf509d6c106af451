import ArgumentParser
import Glibc
import SealiteFile
import SealiteMaintenance

/// The options that name the source of a database's key.
struct KeyOptions: ParsableArguments {
    @OptionGroup(title: HelpSections.keys) var source: KeySourceOptions
    @OptionGroup(title: HelpSections.store) var store: StoreOptions
    @OptionGroup(title: HelpSections.keys) var asking: AskingOptions

    static var hint: String { Terminal.otherSources }

    /// Returns the source that the command line, the environment, systemd or the configuration file names; nil if there
    /// is none.
    func namedSource() throws -> KeySource? {
        try source.onCommandLine ?? Self.standardSource()
    }

    /// Returns the source of the key that the environment, systemd or the configuration file names, for commands that
    /// name none on the command line; nil if there is none.
    static func standardSource() throws -> KeySource? {
        try Settings.sourceInEnvironment() ?? KeySource.ofSystemd() ?? Settings.current().source
    }

    /// A Boolean value that says whether the key of the database or of the vault is read from standard input, which then
    /// contains nothing else.
    var readsStandardInput: Bool { source.readsStandardInput || store.readsStandardInput }

    /// Throws an error if more than one of the command's inputs, of which the key is the first, would be read from
    /// standard input.
    func requireOneReader(_ others: (name: String, readsStandardInput: Bool)...) throws {
        let inputs: [(name: String, readsStandardInput: Bool)] = [("the key", readsStandardInput)] + others
        let readers = inputs.filter(\.readsStandardInput).map(\.name)
        guard readers.count < 2 else {
            throw ValidationError("Standard input can't hold both \(readers[0]) and \(readers[1]).")
        }
    }

    /// Reads the public header of a database; the error for a missing one names the command that makes it.
    static func publicHeader(of path: String) throws(ToolError) -> PublicHeader {
        do throws(SealedFileError) {
            return try SealedDatabase.publicHeader(of: path)
        } catch {
            var failure = ToolError(error)
            if error.code == .noSuchFile {
                failure.hint = failure.hint ?? "make one with 'sealite create'"
                failure.details = [("path", .text(path))]
            }
            throw failure
        }
    }

    /// Unlocks a database with the key that is found, and checks it against its freshness record if one is named.
    func unlock(_ path: String, freshness: FreshnessOptions? = nil) throws -> SealedDatabase {
        let header = try Self.publicHeader(of: path)
        Leftovers.tell(beside: path)
        let database = try withKey(of: path, slots: header.slots) { key, limits throws(SealedFileError) in
            try SealedDatabase.open(path, key: key, limits: limits)
        }
        // The unlocked database can check the MACs of the header's copies, and so distinguishes an altered copy from a
        // damaged one.
        if header.copies.contains(.damaged) { Console.warn(of: path, damagedCopiesOf: try database.publicHeader()) }
        try freshness?.check(database)
        return database
    }

    /// Finds the key of a file with the given slots and passes it to a function.
    func withKey<R>(
        of path: String, slots: [SlotInfo],
        _ use: (borrowing UnlockKey, UnlockLimits) throws(SealedFileError) -> R
    ) throws -> R {
        let slot = try source.unlockSlot?.number(in: slots, of: path)
        var limits = UnlockLimits(slotNumber: slot)
        if let maxKdfMemory = source.maxKdfMemory { limits.kdfMemoryLimit = maxKdfMemory.value }
        guard let source = try namedSource() else {
            var readStore: String?
            switch try StoredKey.find(slots: slots, only: slot, store, asking.permission) {
            case .found(let key, let name):
                do throws(SealedFileError) {
                    return try use(.rawKey(key), limits)
                } catch {
                    throw error.code == .wrongKey ? ToolError(error).named(name) : ToolError(error)
                }
            case .unavailable(let error):
                guard asking.permission.isGiven, slots.contains(where: { $0.kind == .passphrase }) else {
                    throw StoredKey.unavailable(error, path: path, slots: slots)
                }
            case .absent(let store): readStore = store
            }
            guard asking.permission.isGiven else {
                throw StoredKey.missing(of: path, slots: slots, store: readStore)
            }
            try requirePassphraseSlot(slots, path: path)
            return try withTypedPassphrase(of: path) { key throws(SealedFileError) in try use(key, limits) }
        }
        let key = try source.key()
        do throws(SealedFileError) {
            return try use(key, limits)
        } catch {
            throw error.code == .wrongKey ? ToolError(error).named(source.name) : ToolError(error)
        }
    }

    /// The maximum number of times that a passphrase is asked for.
    private static let tries = 3

    /// Asks for the passphrase on the terminal, again if it is wrong.
    private func withTypedPassphrase<R>(
        of path: String, _ use: (borrowing UnlockKey) throws(SealedFileError) -> R
    ) throws -> R {
        for _ in 1..<Self.tries {
            let typed = UnlockKey.passphrase(try Terminal.secret("Passphrase of \(path)"))
            do throws(SealedFileError) {
                return try use(typed)
            } catch {
                guard error.code == .wrongKey else { throw error }
                Console.note("sealite: wrong passphrase, try again\n")
            }
        }
        return try use(.passphrase(try Terminal.secret("Passphrase of \(path)")))
    }

    private func requirePassphraseSlot(_ slots: [SlotInfo], path: String) throws(ToolError) {
        guard !slots.isEmpty, !slots.contains(where: { $0.kind == .passphrase }) else { return }
        throw ToolError(
            .wrongKey, code: SealedFileError.Code.wrongKey.rawValue,
            "\"\(path)\" has no key slot for a passphrase; the kinds of its slots: \(Set(slots.map(\.kind.name)).sorted().joined(separator: ", "))",
            hint: "give its key with --key-file or --recovery-key-file"
                + (slots.contains { $0.kind == .rawKey } ? "; \(StoredKey.otherStore)" : ""))
    }
}

extension ToolError {
    /// Returns the same error with the source of the key in the message.
    func named(_ source: String) -> ToolError {
        saying("\(message), read from \(source)")
    }
}

/// The options that allow or forbid prompts.
struct AskingOptions: ParsableArguments {
    @Flag(help: "Prompt on the terminal even if standard input isn't a terminal.")
    var prompt = false

    @Flag(help: "Never prompt; fail where an answer would be needed.")
    var noInput = false

    var permission: Console.Permission { Console.Permission(prompt: prompt, noInput: noInput) }

    func validate() throws {
        try ValidationError.requireOne(("--prompt", prompt), ("--no-input", noInput))
    }
}
