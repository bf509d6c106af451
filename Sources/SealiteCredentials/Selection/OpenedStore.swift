internal import SealiteCrypto
internal import SealiteFile

/// A store that was chosen and opened.
public struct OpenedStore: Sendable {
    /// The store, which logs its calls.
    public let store: any CredentialStore
    /// The store as a vault; nil if it is the Secret Service.
    public let vault: VaultStore?
    /// The kind of store.
    public let choice: StoreChoice
    /// The reason for the choice, in the form of a clause that follows "because": "its passphrase was given".
    public let reason: String
    /// A Boolean value that says whether the vault was created by this call.
    public let isNew: Bool
}
