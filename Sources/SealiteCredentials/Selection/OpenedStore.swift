internal import SealiteCrypto
internal import SealiteFile

/// A store that was chosen and opened.
public struct OpenedStore: Sendable {
    /// The store, which logs its calls if the policy has a logger.
    public let store: any CredentialStore
    /// The store as a vault; nil if it is the Secret Service.
    public let vault: VaultStore?
    /// The kind of store.
    public let choice: StoreChoice
    /// The reason for the choice, in the form of a clause that follows "because", such as "its key was given".
    public let reason: String
    /// A Boolean value that says whether the store is a vault that was created when it was opened.
    public let isNew: Bool
}
