internal import Glibc
public import Logging
internal import SealiteBase
public import SealiteCrypto
public import SealiteFile
internal import SealiteMaintenance

/// A user's choice of a store: a line in `$XDG_CONFIG_HOME/sealite/credential-store`. It is written only on request.
public struct StoreSetting: Sendable, Hashable {
    /// The store that the setting selects.
    public let choice: StoreChoice
    /// The path of the vault's file; nil for the standard path, and always nil if the store isn't the vault.
    public let vaultPath: String?

    private static let byteLimit = 4200

    /// Creates a setting; ``save()`` stores it.
    public init(choice: StoreChoice, vaultPath: String? = nil) {
        self.choice = choice
        self.vaultPath = choice == .vault ? vaultPath : nil
    }

    /// Returns the saved setting; nil if there is none, or no folder for settings is known.
    ///
    /// - Throws: `damaged` for a file that isn't a setting, `permission`, `providerFailed`.
    public static func current() throws(CredentialError) -> StoreSetting? {
        // A service without a home folder has no setting.
        guard let path = try? path() else { return nil }
        return try inVault { () throws(SealedFileError) in
            try StateFile.read(path, limit: byteLimit).map { (bytes) throws(SealedFileError) in try parse(bytes, path) }
        }
    }

    private static func parse(_ bytes: [UInt8], _ path: String) throws(SealedFileError) -> StoreSetting {
        let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n", maxSplits: 1).first ?? ""
        let words = line.split(separator: " ", maxSplits: 1)
        guard let word = words.first, let choice = StoreChoice(rawValue: String(word)) else {
            throw SealedFileError(
                .damagedHeader,
                "\"\(path)\" names no credential store: it has to begin with the word secret-service or vault",
                hint: CredentialRemedy.chooseStore.hint)
        }
        let vaultPath = words.count > 1 ? String(words[1]) : nil
        guard vaultPath?.hasPrefix("/") ?? true else {
            throw SealedFileError(
                .damagedHeader, "\"\(path)\": the path of the vault in it doesn't begin with a slash",
                hint: CredentialRemedy.chooseStore.hint)
        }
        return StoreSetting(choice: choice, vaultPath: vaultPath)
    }

    /// Saves the setting for every program of the user.
    ///
    /// - Throws: `permission`, `diskFull`, `providerFailed`; `invalidArgument` if the vault's path is relative or
    ///   contains a line end, or if neither `XDG_CONFIG_HOME` nor `HOME` names a folder.
    public func save() throws(CredentialError) {
        guard vaultPath.map({ $0.hasPrefix("/") && !$0.contains("\n") }) ?? true else {
            throw CredentialError(.invalidArgument, "the vault's path has to begin with a slash and hold no line end")
        }
        let path = try Self.path()
        try VaultLocation.makeFolder(for: path)
        let line = choice.rawValue + (vaultPath.map { " " + $0 } ?? "") + "\n"
        try inVault { () throws(SealedFileError) in try StateFile.replace(path, with: Array(line.utf8)) }
    }

    /// Removes the setting; a missing setting isn't an error, nor that no folder for settings is known.
    ///
    /// - Throws: `permission`, `providerFailed`.
    public static func remove() throws(CredentialError) {
        guard let path = try? path() else { return }
        guard unsafe unlink(path) != 0, errno != ENOENT else { return }
        throw CredentialError(vault: SealedFileError(errno: errno, doing: "removing", path))
    }

    private static func path() throws(CredentialError) -> String {
        try VaultLocation.base("XDG_CONFIG_HOME", "/.config") + "/sealite/credential-store"
    }
}

/// The stores that a program can choose between.
public enum StoreChoice: String, Sendable, Hashable, CaseIterable {
    /// The desktop's Secret Service.
    case secretService = "secret-service"
    /// The vault, an encrypted file of this library.
    case vault
}

/// A program's choice of a store, with the key that opens it.
///
/// No store is chosen silently: a vault is used only if it was requested, if the user's setting names it or if its key
/// was given, and ``OpenedStore/reason`` states why a store was chosen.
public struct StorePolicy: ~Copyable, Sendable {
    /// The requested store; nil to use the store of the user's setting, or else an available store.
    public var choice: StoreChoice?
    /// The path of the vault's file; nil for the path in the user's setting if that chooses the store, or else the
    /// standard path.
    public var vaultPath: String?
    /// The key that opens the vault; nil for the passphrase that systemd provides, if any. If ``choice`` is nil and no
    /// setting of the user names a store, a key selects the vault.
    public var vaultKey: UnlockKey?
    /// The bounds on the cost of unlocking the vault.
    public var vaultLimits = UnlockLimits()
    /// Asks a person for the passphrase of the vault at `path`, which is to be created if `isNew` is true; called only
    /// if the vault is to be used and no key was given.
    public var askForVaultPassphrase:
        (@Sendable (_ path: String, _ isNew: Bool) throws(CredentialError) -> SecretBytes)?
    /// A Boolean value that says whether a missing vault is created, with the given key or the passphrase that a person
    /// was asked for.
    public var makesVault = false
    /// The cost of opening a passphrase slot of a new vault.
    public var newVaultCost = Scrypt.Cost.default
    /// The Secret Service's collection to use.
    public var collection = SecretServiceStore.Collection.standard
    /// A Boolean value that says whether the Secret Service may transmit secrets over the bus unencrypted.
    public var allowsUnencryptedSession = false
    /// A Boolean value that says whether the user's setting (``StoreSetting``) is used if no store is requested.
    public var heedsSetting = true
    /// The logger for the choice, and for each call to the store, without accounts and secrets; nil for none. Default
    /// `sealite.credentials` of the program's `LoggingSystem`.
    public var logger: Logger? = Logger(label: "sealite.credentials")

    /// Creates a policy. Without a choice, the setting decides, or else the availability of stores.
    public init(
        choice: StoreChoice? = nil, vaultPath: String? = nil, vaultKey: consuming UnlockKey? = nil,
        makesVault: Bool = false
    ) {
        self.choice = choice
        self.makesVault = makesVault
        self.vaultPath = vaultPath
        self.vaultKey = vaultKey
    }
}
