internal import SealiteCrypto

/// The desktop's own store: the Secret Service of GNOME Keyring, KeePassXC or KWallet, over libsecret.
///
/// Calls run one at a time on a thread of their own, over one connection for the whole process, each within its time
/// limit. Without leave to interact nothing is unlocked and no prompt is asked for; a provider that shows one of its
/// own all the same (KeePassXC can be set to) is cut off at the limit. A provider that was restarted is found again.
///
/// Any program of the same user can read an unlocked collection: that is how the Secret Service works.
public struct SecretServiceStore: CredentialStore {
    /// The choice of one of the provider's collections.
    public enum Collection: Sendable, Hashable, CustomStringConvertible {
        /// New credentials go to the default collection; every collection is read but the one of the login session.
        case standard
        /// The collection that is kept in memory and gone when the login session ends.
        case session
        /// The collection with this label, or whose object path ends in it.
        case named(String)

        /// The collection as messages name it.
        public var description: String {
            switch self {
            case .standard: "by default"
            case .session: "for the login session"
            case .named(let name): "\"\(name)\""
            }
        }
    }

    /// The collection that is used.
    public let collection: Collection
    /// A Boolean value that indicates whether secrets may go over the bus unencrypted when the provider offers nothing else.
    public let allowsUnencryptedSession: Bool

    /// Makes a store. Nothing is connected before the first call.
    ///
    /// - Parameters:
    ///   - collection: the collection to use.
    ///   - allowsUnencryptedSession: whether secrets may be carried over the bus unencrypted when the provider offers
    ///     nothing else; otherwise that is the error `unencryptedSession`.
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

    /// Keeps a credential. Where one with the same reference is stored its secret is replaced, and copies are removed.
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

    /// Reads a credential.
    public func read(
        _ reference: CredentialReference, access: CredentialAccess
    ) async throws(CredentialError) -> Credential {
        let box = try await perform(access, reference, "read") { call throws(CredentialError) in
            SecretBox(try call.read(reference))
        }
        guard let record = box.take() else { throw CredentialError(.providerFailed, "the secret was lost") }
        do throws(CredentialError) {
            return try Credential(record: record, for: reference)
        } catch {
            throw error.about(reference, "read")
        }
    }

    /// Removes a credential, every copy of it that the store reads.
    public func remove(_ reference: CredentialReference, access: CredentialAccess) async throws(CredentialError) {
        try await perform(access, reference, "removed") { call throws(CredentialError) in
            try call.remove(reference)
        }
    }

    /// Lists what is stored. Locked items are listed where the provider shows them; nothing is unlocked for it.
    public func list(
        service: CredentialService?, access: CredentialAccess
    ) async throws(CredentialError) -> CredentialListing {
        try await perform(access, nil, "listed") { call throws(CredentialError) in try call.list(service) }
    }

    /// Returns what is stored for a service, with secrets, after one search.
    public func match(
        service: CredentialService, account: String?, kinds: [CredentialKind], access: CredentialAccess
    ) async throws(CredentialError) -> CredentialMatch {
        try await perform(access, nil, "read") { call throws(CredentialError) in
            try call.match(service, account, kinds)
        }
    }

    /// Unlocks the collections of the store that are locked; needs an access that allows interaction.
    ///
    /// - Throws: `promptDismissed`, and what ``read(_:access:)`` throws for the environment.
    public func unlock(access: CredentialAccess = .interactive) async throws(CredentialError) {
        try await perform(access, nil, "unlocked") { call throws(CredentialError) in try call.unlock() }
    }

    /// Locks the collections of the store.
    ///
    /// - Throws: what ``read(_:access:)`` throws for the environment.
    public func lock(access: CredentialAccess = .silent) async throws(CredentialError) {
        try await perform(access, nil, "locked") { call throws(CredentialError) in try call.lock() }
    }

    private func perform<R: Sendable>(
        _ access: CredentialAccess, _ reference: CredentialReference?, _ verb: String,
        _ body: @escaping @Sendable (SecretServiceCall) throws(CredentialError) -> R
    ) async throws(CredentialError) -> R {
        do throws(CredentialError) {
            return try await SecretServiceWorker.perform(access) { [self] link, limit throws(CredentialError) in
                try body(SecretServiceCall(store: self, link: link, limit: limit))
            }
        } catch {
            guard let reference, error.code != .notFound else { throw error }
            throw error.about(reference, verb)
        }
    }
}
