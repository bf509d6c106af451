/// What a person needs to know about the Secret Service: who provides it, and what is locked.
public struct SecretServiceStatus: Sendable, Hashable {
    /// One of the provider's collections.
    public struct Collection: Sendable, Hashable {
        /// What people call it.
        public let label: String
        /// Where it lies on the bus.
        public let path: String
        /// Whether it has to be unlocked before its secrets can be read.
        public let isLocked: Bool
        /// Whether new items go to it.
        public let isDefault: Bool
    }

    /// The name of the provider's process, for example `gnome-keyring-d`; nil when the bus doesn't say.
    public let provider: String?
    /// The algorithm that carries secrets over the bus; `plain` for none.
    public let sessionAlgorithm: String
    /// The provider's collections.
    public let collections: [Collection]

    /// Whether secrets are encrypted on the bus.
    public var isSessionEncrypted: Bool { sessionAlgorithm != "plain" }
    /// The collection that new items go to; nil when the provider has none.
    public var defaultCollection: Collection? { collections.first(where: \.isDefault) }
}

extension SecretServiceStore {
    /// Looks at the provider without reading, unlocking or changing anything.
    ///
    /// - Parameter access: the time limit; no prompt is ever asked for.
    /// - Returns: who provides the Secret Service, and its collections.
    /// - Throws: `noSessionBus`, `noProvider`, `timedOut`, `cancelled`, `permission`, `providerFailed`: what keeps the
    ///   store from being used, with a hint.
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
