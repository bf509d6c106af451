public import ArgumentParser
import Glibc
public import SealiteCredentials
import SealiteCrypto
import SealiteFile

/// The choice of a credential store, and the key that opens it.
struct StoreOptions: ParsableArguments {
    @Option(
        help:
            "The credential store. Default: the vault if an option gives its key; otherwise that of SEALITE_STORE, the configuration file or 'sealite credential use'; otherwise the vault if systemd or the configuration file gives its key, or else the Secret Service."
    )
    var store: StoreChoice?

    @Option(
        "file",
        help:
            "The vault's file; selects the vault as the store. Default: the file set in the configuration file or with 'sealite credential use', otherwise $XDG_DATA_HOME/sealite/vault.db."
    )
    var vault: String?

    @Option("file", help: "Read the vault's passphrase from this file.")
    var vaultPassphraseFile: String?

    @Option("n", help: "Read the vault's passphrase from this open file descriptor.")
    var vaultPassphraseFd: Int32?

    @Option("file", help: "Read the vault's raw key from this file.")
    var vaultKeyFile: String?

    @Option("file", help: "Read the vault's recovery key from this file.")
    var vaultRecoveryKeyFile: String?

    @Option(
        "bytes",
        help: "The maximum memory for unlocking a passphrase slot of the vault, such as 512M or 2G. Default: 1G.")
    var vaultMaxKdfMemory: ByteCount?

    @Option(
        "n", help: "The cost of a new vault's passphrase: scrypt's N is 2 to this power, 17 takes 128 MiB of memory.")
    var vaultKdfLogN = Scrypt.Cost.default.logN

    @Option("label", help: "The collection of the Secret Service. Default: its default collection.")
    var storeCollection: String?

    @Flag(help: "Allow secrets to be sent over D-Bus unencrypted.")
    var allowUnencryptedSession = false

    @Option(
        "seconds", help: "The maximum time to wait for the store. Default: 10, or 60 if the store may prompt the user.")
    var storeTimeout: Double?

    func validate() throws {
        try ValidationError.requireOne(
            ("--vault-passphrase-file", vaultPassphraseFile != nil),
            ("--vault-passphrase-fd", vaultPassphraseFd != nil),
            ("--vault-key-file", vaultKeyFile != nil), ("--vault-recovery-key-file", vaultRecoveryKeyFile != nil))
        if let storeTimeout, !(0...86_400).contains(storeTimeout) {
            throw ValidationError("--store-timeout takes 0 to 86400 seconds.")
        }
        do throws(CryptoError) {
            try Scrypt.Cost(logN: vaultKdfLogN).check()
        } catch {
            throw ValidationError("--vault-kdf-log-n \(vaultKdfLogN): \(error.reason).")
        }
        guard store != .secretService || (vault == nil && vaultSource == nil) else {
            throw ValidationError(
                "--store secret-service can't be given together with --vault, --vault-passphrase-file, --vault-passphrase-fd, --vault-key-file or --vault-recovery-key-file."
            )
        }
    }

    /// The source of the vault's key that the command line names; nil if there is none.
    private var vaultSource: KeySource? {
        KeySource.named(
            passphraseFile: vaultPassphraseFile, passphraseFd: vaultPassphraseFd, keyFile: vaultKeyFile,
            recoveryKeyFile: vaultRecoveryKeyFile)
    }

    /// A Boolean value that says whether the vault's key is read from standard input.
    var readsStandardInput: Bool {
        KeySource.readsStandardInput(vaultPassphraseFd, vaultPassphraseFile, vaultKeyFile, vaultRecoveryKeyFile)
    }

    /// A Boolean value that says whether a store was named on the command line.
    var isNamed: Bool { store != nil || vault != nil || vaultSource != nil || storeCollection != nil }

    /// Returns whether a store was named on the command line, in the environment or in the configuration file.
    func isChosen() throws -> Bool { try isNamed || Settings.store() != nil }

    /// Returns the conditions of a call to a store: whether it may prompt, and its time limit.
    func access(_ permission: Console.Permission) -> CredentialAccess {
        var access = permission.isGiven ? CredentialAccess.interactive : .silent
        if let storeTimeout { access.timeLimit = .milliseconds(Int64(storeTimeout * 1000)) }
        return access
    }

    /// Returns the path of the vault that the options, the configuration file or the user's setting name; otherwise the
    /// standard path.
    func vaultPath() throws -> String { try namedVaultPath() ?? VaultStore.standardPath() }

    /// Returns the path of the vault that the options, the configuration file or the user's setting name; nil if none
    /// does.
    private func namedVaultPath() throws -> String? {
        try vault ?? Settings.current().values[.vault] ?? StoreSetting.current()?.vaultPath
    }

    /// Returns the source of the vault's key that the configuration file names; nil if it names none, if systemd
    /// provides a key, or if the user's setting is the Secret Service and `chosen` isn't the vault.
    private static func vaultSource(of settings: Settings, _ chosen: StoreChoice?) throws -> KeySource? {
        guard let source = settings.vaultSource, !Credentials.vaultKeyIsGivenBySystemd else { return nil }
        return try chosen == .vault || StoreSetting.current()?.choice != .secretService ? source : nil
    }

    /// Returns the policy by which the library chooses and opens the store. `choice` overrides the option for the
    /// store.
    func policy(
        _ permission: Console.Permission, choice: StoreChoice? = nil, makesVault: Bool = false
    ) throws -> StorePolicy {
        let settings = try Settings.current()
        // A key for the vault on the command line selects the vault, as --vault does.
        let named = choice ?? store ?? (vault == nil && vaultSource == nil ? nil : .vault)
        let chosen = try named ?? Settings.store()
        let isVault = chosen != .secretService
        var policy = StorePolicy(choice: chosen, vaultPath: try isVault ? namedVaultPath() : nil)
        if let vaultMaxKdfMemory { policy.vaultLimits.kdfMemoryLimit = vaultMaxKdfMemory.value }
        if let source = try vaultSource ?? (isVault ? Self.vaultSource(of: settings, chosen) : nil) {
            policy.vaultKey = try source.key()
        }
        if permission.isGiven {
            policy.askForVaultPassphrase = { path, isNew throws(CredentialError) in
                do throws(ToolError) {
                    return isNew
                        ? try Terminal.newSecret("New passphrase of the vault \(path)")
                        : try Terminal.secret("Passphrase of the vault \(path)")
                } catch {
                    throw CredentialError(.invalidArgument, error.message, hint: error.hint)
                }
            }
        }
        policy.makesVault = makesVault
        // The commands themselves report what the store would log.
        policy.logger = nil
        policy.newVaultCost = Scrypt.Cost(logN: vaultKdfLogN)
        policy.allowsUnencryptedSession = allowUnencryptedSession
        if let storeCollection { policy.collection = .named(storeCollection) }
        return policy
    }

    /// Opens the credential store. Writes a message if a vault was created.
    func open(
        _ permission: Console.Permission, choice: StoreChoice? = nil, makesVault: Bool = false
    ) async throws -> OpenedStore {
        let opened = try await openAsking(permission, choice: choice, makesVault: makesVault)
        if opened.isNew { Console.note("made \(opened.store.name)".withoutControls + "\n") }
        return opened
    }
}

extension StoreOptions {
    /// The maximum number of times that a vault's passphrase is asked for.
    private static let tries = 3

    /// Opens the store; asks for a vault's passphrase again if it is wrong.
    private func openAsking(
        _ permission: Console.Permission, choice: StoreChoice?, makesVault: Bool
    ) async throws -> OpenedStore {
        var left = Self.tries
        while true {
            let policy = try policy(permission, choice: choice, makesVault: makesVault)
            let asks = permission.isGiven && policy.vaultKey == nil && !Credentials.vaultKeyIsGivenBySystemd
            left -= 1
            do throws(CredentialError) {
                return try await Credentials.openStore(policy: policy, access: access(permission))
            } catch {
                guard asks, left > 0, error.code == .wrongPassphrase else { throw error }
                Console.note("sealite: wrong passphrase, try again\n")
            }
        }
    }
}

/// The options of a command on the credential store.
struct CredentialOptions: ParsableArguments {
    @OptionGroup(title: HelpSections.store) var store: StoreOptions
    @OptionGroup(title: HelpSections.keys) var asking: AskingOptions
    @OptionGroup var output: OutputOptions

    var permission: Console.Permission { asking.permission }
    var access: CredentialAccess { store.access(permission) }

    /// Opens the store that the options choose, or the given one.
    func open(_ choice: StoreChoice? = nil, makesVault: Bool = false) async throws -> any CredentialStore {
        try await store.open(permission, choice: choice, makesVault: makesVault).store
    }
}

extension StoreChoice: ExpressibleByArgument {}
extension CredentialKind: ExpressibleByArgument {}
