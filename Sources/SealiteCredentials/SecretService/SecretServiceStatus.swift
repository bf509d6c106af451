/// The state of the Secret Service for a person: its provider, and the provider's collections.
public struct SecretServiceStatus: Sendable, Hashable {
    /// One of the provider's collections.
    public struct Collection: Sendable, Hashable {
        /// The label that people see.
        public let label: String
        /// The collection's object path on the bus.
        public let path: String
        /// A Boolean value that says whether the collection must be unlocked before its secrets can be read.
        public let isLocked: Bool
        /// A Boolean value that says whether this is the collection in which new items are created.
        public let isDefault: Bool
    }

    /// The name of the provider's process, for example `gnome-keyring-d`; nil if the bus doesn't state it.
    public let provider: String?
    /// The algorithm that encrypts secrets on the bus; `plain` if they aren't encrypted, `none` if it isn't known.
    public let sessionAlgorithm: String
    /// The provider's collections.
    public let collections: [Collection]

    /// A Boolean value that says whether secrets are encrypted on the bus.
    public var isSessionEncrypted: Bool { sessionAlgorithm == SecretServiceLink.encryptingAlgorithm }
    /// The collection for new items; nil if the provider has none.
    public var defaultCollection: Collection? { collections.first(where: \.isDefault) }
}

extension SecretServiceStore {
    /// Returns the state of the provider without reading, unlocking or changing anything.
    ///
    /// - Parameter access: the time limit; no prompt is ever requested.
    /// - Returns: the provider of the Secret Service, and its collections.
    /// - Throws: `noSessionBus`, `noProvider`, `timedOut`, `cancelled`, `permission`, `providerFailed`: the failure
    ///   that prevents the use of the store, with a hint.
    public static func status(access: CredentialAccess = .silent) async throws(CredentialError) -> SecretServiceStatus {
        try await SecretServiceWorker.perform(access) { link, limit throws(CredentialError) in
            let defaultPath = try link.path(ofAlias: "default", limit)
            let collections = try link.collections(limit).map { collection in
                SecretServiceStatus.Collection(
                    label: collection.label, path: collection.path, isLocked: collection.isLocked,
                    isDefault: collection.path == defaultPath)
            }
            return SecretServiceStatus(
                provider: link.providerName(limit), sessionAlgorithm: link.sessionAlgorithm, collections: collections)
        }
    }
}
