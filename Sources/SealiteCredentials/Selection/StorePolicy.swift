public import SealiteCrypto
public import SealiteFile
public import Logging

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
