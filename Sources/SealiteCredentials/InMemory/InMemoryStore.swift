public import FoundationEssentials
internal import SealiteCrypto

/// A store that keeps credentials in this process's memory, for tests of programs that use Sealite.
///
/// It follows the rules of all stores, keeps its secrets in locked memory, and can simulate failures (``fail(with:)``).
public actor InMemoryStore: CredentialStore {
    /// A stored record with its description for listings.
    private struct Item {
        let record: SharedSecret
        let label: String
        let created: Date
        let modified: Date
    }

    private var items: [CredentialReference: Item] = [:]
    private var failure: CredentialError?
    private var isLocked = false
    private let now: @Sendable () -> Date

    /// The name of the store in messages.
    public nonisolated let name = "the store in memory"

    /// Creates an empty store.
    ///
    /// - Parameter now: returns the time for the dates of items.
    public init(now: @escaping @Sendable () -> Date = { Date() }) {
        self.now = now
    }

    /// Lets every later call throw an error, as if the provider were unavailable; nil ends that.
    public func fail(with error: CredentialError?) {
        failure = error
    }

    /// Locks or unlocks the store. A locked store lists its items but can't read, save or remove credentials.
    public func setLocked(_ isLocked: Bool) {
        self.isLocked = isLocked
    }

    /// Saves a credential, replacing the one with the same service, account and kind. Without a label the item keeps
    /// that of the replaced item, or gets a standard one.
    public func save(
        _ credential: consuming Credential, service: CredentialService, account: String, label: String?,
        access: CredentialAccess
    ) async throws(CredentialError) {
        let reference = try CredentialReference(service: service, account: account, kind: credential.kind)
        try check(reference, "saved")
        let record = SharedSecret(try credential.record(for: reference))
        let time = now()
        let replaced = items[reference]
        items[reference] = Item(
            record: record, label: label ?? replaced?.label ?? reference.standardLabel,
            created: replaced?.created ?? time, modified: time)
    }

    /// Returns a credential with its secret.
    public func read(
        _ reference: CredentialReference, access: CredentialAccess
    ) async throws(CredentialError) -> Credential {
        try check(reference, "read")
        guard let item = items[reference] else { throw CredentialError.notFound(reference, in: name) }
        return try Credential(record: item.record.duplicate(), for: reference)
    }

    /// Removes a credential.
    ///
    /// - Throws: `notFound` if the store doesn't contain it, and the errors of ``read(_:access:)``.
    public func remove(_ reference: CredentialReference, access: CredentialAccess) async throws(CredentialError) {
        try check(reference, "removed")
        guard items.removeValue(forKey: reference) != nil else {
            throw CredentialError.notFound(reference, in: name)
        }
    }

    /// Returns the stored credentials of a service, or all of them if it is nil, without secrets.
    public func list(
        service: CredentialService?, access: CredentialAccess
    ) async throws(CredentialError) -> CredentialListing {
        if let failure { throw failure }
        let isLocked = isLocked
        let found = items.filter { service == nil || $0.key.service == service }.map { reference, item in
            CredentialMetadata(
                reference: reference, label: item.label, created: item.created, modified: item.modified,
                isLocked: isLocked)
        }
        return CredentialListing(items: found, isComplete: true)
    }

    /// Throws the simulated error if one is set, or `locked` if the store is locked. The verb (`read`, `saved` or
    /// `removed`) names the failed operation in the reason.
    private func check(_ reference: CredentialReference, _ verb: String) throws(CredentialError) {
        if let failure { throw failure }
        guard !isLocked else {
            throw CredentialError(.locked, "\(name) is locked", hint: "unlock it").about(reference, verb)
        }
    }
}
