internal import SealiteBase
internal import SealiteCrypto

/// The desktop's own store: the Secret Service of GNOME Keyring, KeePassXC or KWallet, over libsecret.
///
/// Calls run one at a time on a separate thread, over one connection for the whole process, each within its time limit.
/// Unless interaction is allowed, nothing is unlocked and no prompt is requested; a provider that shows a prompt
/// nevertheless (KeePassXC can be configured to) is no longer waited for when the time limit is reached. After a
/// restart of the provider, a new session is opened.
///
/// Any program of the same user can read an unlocked collection; this is a property of the Secret Service.
public struct SecretServiceStore: CredentialStore {
    /// The choice of one of the provider's collections.
    public enum Collection: Sendable, Hashable, CustomStringConvertible {
        /// New credentials are saved in the default collection; every collection except that of the login session is
        /// read.
        case standard
        /// The collection in memory that is deleted at the end of the login session.
        case session
        /// The collection with this label, or with this text as the last component of its object path.
        case named(String)

        /// The collection in the form used by messages.
        public var description: String {
            switch self {
            case .standard: "by default"
            case .session: "for the login session"
            case .named(let name): "\"\(name)\""
            }
        }
    }

    /// The collection of the Secret Service that the store uses.
    public let collection: Collection
    /// A Boolean value that indicates whether secrets may be transmitted over the bus unencrypted if the provider
    /// offers no encryption.
    public let allowsUnencryptedSession: Bool
    /// The time source for the time limits of calls.
    var time: any TimeSource = SystemTime()

    /// Creates a store. It doesn't connect before the first call.
    ///
    /// - Parameters:
    ///   - collection: the collection to use.
    ///   - allowsUnencryptedSession: true to allow secrets to be transmitted over the bus unencrypted if the provider
    ///     offers no encryption; otherwise that is the error `unencryptedSession`.
    public init(collection: Collection = .standard, allowsUnencryptedSession: Bool = false) {
        self.collection = collection
        self.allowsUnencryptedSession = allowsUnencryptedSession
    }

    /// The name of the store in messages.
    public var name: String {
        switch collection {
        case .standard: "the Secret Service"
        case .session: "the Secret Service's session collection"
        case .named(let name): "the Secret Service's collection \"\(name)\""
        }
    }

    /// Saves a credential. If one with the same reference is stored, its secret is replaced, and other copies of it are
    /// removed, except from locked collections.
    public func save(
        _ credential: consuming Credential, service: CredentialService, account: String, label: String?,
        access: CredentialAccess
    ) async throws(CredentialError) {
        let reference = try CredentialReference(service: service, account: account, kind: credential.kind)
        let record = SharedSecret(try credential.record(for: reference))
        try await perform(access, reference, "saved") { call throws(CredentialError) in
            try call.save(record.secret, as: reference, label: label)
        }
    }

    /// Returns a credential with its secret.
    public func read(
        _ reference: CredentialReference, access: CredentialAccess
    ) async throws(CredentialError) -> Credential {
        let box = try await perform(access, reference, "read") { call throws(CredentialError) in
            SecretBox(try call.read(reference))
        }
        return try Credential(in: box, for: reference)
    }

    /// Removes a credential and its copies in the store's collections, except for copies in locked collections that the
    /// provider doesn't show.
    public func remove(_ reference: CredentialReference, access: CredentialAccess) async throws(CredentialError) {
        try await perform(access, reference, "removed") { call throws(CredentialError) in
            try call.remove(reference)
        }
    }

    /// Returns the stored credentials. Locked items are listed if the provider reveals them; nothing is unlocked.
    public func list(
        service: CredentialService?, access: CredentialAccess
    ) async throws(CredentialError) -> CredentialListing {
        try await perform(access, nil, "listed") { call throws(CredentialError) in try call.list(service) }
    }

    /// Returns the credentials that are stored for a service, with secrets, after one search.
    public func match(
        service: CredentialService, account: String?, kinds: [CredentialKind], access: CredentialAccess
    ) async throws(CredentialError) -> CredentialMatch {
        try await perform(access, nil, "read") { call throws(CredentialError) in
            try call.match(service, account, kinds)
        }
    }

    /// Unlocks the locked collections of the store.
    ///
    /// - Throws: `locked` if one of them is locked and `access` doesn't allow interaction; `promptDismissed` if one of
    ///   them stays locked; `noSessionBus`, `noProvider`, `noCollection`, `ambiguous`, `timedOut`, `cancelled`,
    ///   `permission`, `providerFailed`.
    public func unlock(access: CredentialAccess = .interactive) async throws(CredentialError) {
        try await perform(access, nil, "unlocked") { call throws(CredentialError) in try call.unlock() }
    }

    /// Locks the collections of the store.
    ///
    /// - Throws: `noSessionBus`, `noProvider`, `noCollection`, `ambiguous`, `timedOut`, `cancelled`, `permission`,
    ///   `providerFailed`.
    public func lock(access: CredentialAccess = .silent) async throws(CredentialError) {
        try await perform(access, nil, "locked") { call throws(CredentialError) in try call.lock() }
    }

    func perform<R: Sendable>(
        _ access: CredentialAccess, _ reference: CredentialReference?, _ verb: String,
        _ body: @escaping @Sendable (SecretServiceCall) throws(CredentialError) -> R
    ) async throws(CredentialError) -> R {
        do throws(CredentialError) {
            return try await SecretServiceWorker.perform(access, time: time) {
                [self] link, limit throws(CredentialError) in
                try body(SecretServiceCall(store: self, link: link, limit: limit))
            }
        } catch {
            guard let reference, error.code != .notFound else { throw error }
            throw error.about(reference, verb)
        }
    }
}

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
