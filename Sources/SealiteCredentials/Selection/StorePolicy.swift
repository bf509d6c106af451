public import SealiteCrypto
public import SealiteFile
public import Logging

/// The stores that a program can choose between.
public enum StoreChoice: String, Sendable, Hashable, CaseIterable {
    /// The desktop's Secret Service.
    case secretService = "secret-service"
    /// A vault file.
    case vault
}

/// Which store a program wants, and what opens it.
///
/// Nothing is chosen silently: a vault is used only where its key was given or where it was asked for, and
/// ``OpenedStore/reason`` says why a store was taken.
public struct StorePolicy: ~Copyable, Sendable {
    /// The store that was asked for; nil to leave it to the setting, and else to what is there.
    public var choice: StoreChoice?
    /// The vault's file; nil for that of the setting, or the standard one.
    public var vaultPath: String?
    /// What opens the vault. Giving it, without a choice, chooses the vault.
    public var vaultKey: UnlockKey?
    /// The bounds on what unlocking the vault may spend, and whether a recovery slot of an earlier version may open it.
    public var vaultLimits = UnlockLimits()
    /// Asks a person for the vault's passphrase; called only where the vault is to be used and no key was given.
    public var askForVaultPassphrase:
        (@Sendable (_ path: String, _ isNew: Bool) throws(CredentialError) -> SecretBytes)?
    /// Whether a vault that isn't there is made, with the key that was given.
    public var makesVault = false
    /// What a passphrase slot of a new vault costs to open.
    public var newVaultCost = Scrypt.Cost.default
    /// The Secret Service's collection to use.
    public var collection = SecretServiceStore.Collection.standard
    /// Whether the Secret Service may carry secrets over the bus unencrypted.
    public var allowsUnencryptedSession = false
    /// Whether ``StoreSetting`` counts.
    public var heedsSetting = true
    /// Where the choice, and each call to the store, is logged; no account and no secret is. Default `sealite.credentials` of the
    /// program's `LoggingSystem`.
    public var logger = Logger(label: "sealite.credentials")

    /// Leaves the choice to the setting, and else to what is there.
    public init(choice: StoreChoice? = nil, vaultPath: String? = nil, vaultKey: consuming UnlockKey? = nil) {
        self.choice = choice
        self.vaultPath = vaultPath
        self.vaultKey = vaultKey
    }
}

/// A store that was chosen.
public struct OpenedStore: Sendable {
    /// The store. It logs what is asked of it.
    public let store: any CredentialStore
    /// The vault, where the store is one.
    public let vault: VaultStore?
    /// Which one it is.
    public let choice: StoreChoice
    /// Why this one, as a sentence's end: "its passphrase was given".
    public let reason: String
    /// Whether the vault was made just now.
    public let isNew: Bool
}
