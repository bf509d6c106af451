internal import SealiteCrypto

/// A store that keeps credentials.
///
/// Every store guarantees this to callers:
/// - absence is proven: ``read(_:access:)`` throws `notFound` only after the store was read and no part of it was
///   locked. No other error says whether the credential exists, so never create a new key because of such an error;
/// - saving replaces the credential with the same service, account and kind, or leaves it unchanged: a failed save
///   loses nothing;
/// - listing never loads a secret;
/// - methods are safe from any task, don't block the cooperative threads, and respect cancellation and the time limit.
///
/// ```swift
/// let service = try CredentialService("wss://sync.example.com/notes")
/// try await store.save(.password(password), service: service, account: "ana")
/// let credential = try await store.read(CredentialReference(service: service, account: "ana", kind: .password))
/// ```
public protocol CredentialStore: Sendable {
    /// The name of the store in messages, for example `the Secret Service`.
    var name: String { get }

    /// Saves a credential, replacing the one with the same service, account and kind.
    ///
    /// - Parameters:
    ///   - credential: the credential; wiped once the store has saved it.
    ///   - service: the purpose of the credential.
    ///   - account: the owner of the credential; empty if there is none.
    ///   - label: the label that the desktop's password manager shows; nil for the present one if a credential is
    ///     replaced, otherwise for a standard one. Never secret.
    ///   - access: the rule for prompts, and the time limit.
    /// - Throws: `locked`, `promptDismissed`, `noSessionBus`, `noProvider`, `noCollection`, `ambiguous`, `noVault`,
    ///   `timedOut` (it is then unknown whether the credential was saved), `cancelled`, `permission`,
    ///   `unencryptedSession`, `tooLarge`, `diskFull`, `damaged`, `providerFailed`, `invalidArgument`.
    func save(
        _ credential: consuming Credential, service: CredentialService, account: String, label: String?,
        access: CredentialAccess
    ) async throws(CredentialError)

    /// Returns a credential with its secret.
    ///
    /// - Throws: `notFound` if the absence of the credential is proven; `locked` if the credential, or a part of the
    ///   store that may contain it, is locked; `duplicate` if several items with different secrets share the reference;
    ///   `damaged` or `unsupportedVersion` if the stored data isn't a credential of the kind; and the errors of
    ///   ``save(_:service:account:label:access:)``.
    func read(_ reference: CredentialReference, access: CredentialAccess) async throws(CredentialError) -> Credential

    /// Removes a credential, and verifies its absence.
    ///
    /// - Throws: `notFound` if the absence of the credential is proven, and the errors of ``read(_:access:)``.
    func remove(_ reference: CredentialReference, access: CredentialAccess) async throws(CredentialError)

    /// Returns the stored credentials, without secrets.
    ///
    /// - Parameters:
    ///   - service: the service to list; nil for all.
    ///   - access: the rule for prompts, and the time limit.
    /// - Returns: the items, and whether they are complete.
    /// - Throws: the errors of ``read(_:access:)``, but never `notFound`, because a listing may be empty. A locked part
    ///   of the store isn't an error either; ``CredentialListing/isComplete`` reports it. A vault throws `locked` while
    ///   it is locked.
    func list(service: CredentialService?, access: CredentialAccess) async throws(CredentialError) -> CredentialListing

    /// Returns the credentials that are stored for a service, with secrets, in one call. The default implementation
    /// lists and then reads.
    ///
    /// - Parameters:
    ///   - service: the service of the credentials.
    ///   - account: the account of the credentials; nil for any. A client identity without an account also matches an
    ///     account that has no client identity of its own.
    ///   - kinds: the kinds of the credentials.
    ///   - access: the rule for prompts, and the time limit.
    /// - Returns: the matching credentials, with the secret of each kind of which exactly one account has a credential.
    ///   The error of loading one of them is thrown when that credential is requested.
    /// - Throws: the errors of ``list(service:access:)``; `cancelled`.
    func match(
        service: CredentialService, account: String?, kinds: [CredentialKind], access: CredentialAccess
    ) async throws(CredentialError) -> CredentialMatch
}

extension CredentialStore {
    /// The maximum size of a credential in its stored form, in bytes: 1 MiB. A password or bearer token is stored as it
    /// is, any other kind of credential as a JSON object.
    public static var maximumSecretByteCount: Int { Credential.maximumRecordByteCount }

    /// Returns the credentials that are stored for a service, with secrets: lists the credentials, then reads those
    /// whose secrets the match needs (``CredentialMatch/wanted``).
    public func match(
        service: CredentialService, account: String?, kinds: [CredentialKind], access: CredentialAccess
    ) async throws(CredentialError) -> CredentialMatch {
        var match = CredentialMatch(
            in: try await list(service: service, access: access), of: name, service: service, account: account,
            kinds: kinds)
        for reference in match.wanted {
            do throws(CredentialError) {
                match.keep(try await read(reference, access: access), as: reference)
            } catch {
                guard error.code != .cancelled else { throw error }
                match.keep(error, as: reference)
            }
        }
        return match
    }

    /// Saves a credential, without a prompt, within 10 seconds, with a standard label.
    public func save(
        _ credential: consuming Credential, service: CredentialService, account: String
    ) async throws(CredentialError) {
        try await save(credential, service: service, account: account, label: nil, access: .silent)
    }

    /// Returns a credential, without a prompt, within 10 seconds.
    public func read(_ reference: CredentialReference) async throws(CredentialError) -> Credential {
        try await read(reference, access: .silent)
    }

    /// Removes a credential, without a prompt, within 10 seconds.
    public func remove(_ reference: CredentialReference) async throws(CredentialError) {
        try await remove(reference, access: .silent)
    }

    /// Returns all stored credentials, without a prompt, within 10 seconds.
    public func list() async throws(CredentialError) -> CredentialListing {
        try await list(service: nil, access: .silent)
    }
}

/// The conditions of a call to a store: whether a prompt may be shown, and the time limit.
public struct CredentialAccess: Sendable, Hashable {
    /// A Boolean value that says whether a prompt may be shown, for example to unlock a collection.
    public var allowsInteraction: Bool
    /// The time after which a call ends with the error `timedOut`. With the Secret Service, it includes the time spent
    /// waiting for other calls of this process; with a vault, it limits only the wait for another process's lock.
    public var timeLimit: Duration

    /// Creates the conditions of a call to a store.
    public init(allowsInteraction: Bool, timeLimit: Duration) {
        self.allowsInteraction = allowsInteraction
        self.timeLimit = timeLimit
    }

    /// No prompt, so that a locked store stays locked, and a time limit of 10 seconds, which is long enough for a
    /// provider of the Secret Service that must be started first.
    public static let silent = CredentialAccess(allowsInteraction: false, timeLimit: .seconds(10))
    /// A prompt if needed, and a time limit of 60 seconds: for interactive programs.
    public static let interactive = CredentialAccess(allowsInteraction: true, timeLimit: .seconds(60))
}

extension CredentialStore {
    /// Returns the reference of the credential that matches best, without its secret: the first of `kinds` that is
    /// stored for the service.
    ///
    /// - Parameters:
    ///   - service: the service of the credential.
    ///   - account: the account of the credential; nil if any account will do, provided that there is only one.
    ///   - kinds: the acceptable kinds, in order of preference.
    ///   - access: the rule for prompts, and the time limit.
    /// - Returns: the reference to read.
    /// - Throws: `ambiguous`, with the accounts in its reason, if `account` is nil and several accounts have a
    ///   credential of these kinds; if there is no match, `locked` if a locked part of the store may contain one,
    ///   otherwise `notFound`; and the errors of ``list(service:access:)``.
    public func find(
        service: CredentialService, account: String? = nil, kinds: [CredentialKind] = CredentialKind.endpointKinds,
        access: CredentialAccess = .silent
    ) async throws(CredentialError) -> CredentialReference {
        try CredentialMatch(
            in: try await list(service: service, access: access), of: name, service: service, account: account,
            kinds: kinds, withSharedIdentity: false
        ).best(of: kinds)
    }

    /// Moves a credential to another store: it is saved to the destination, read back and compared, and only then
    /// removed from this store.
    ///
    /// - Parameters:
    ///   - reference: the credential.
    ///   - destination: the store to move the credential to.
    ///   - replacing: true to replace another credential under the same reference in the destination.
    ///   - access: the rule for prompts, and the time limit of each step.
    /// - Throws: `exists` if the destination holds another credential under the same reference and `replacing` is
    ///   false; `providerFailed` if the destination returns another value than was saved; `invalidArgument` if both are
    ///   the same store, which keeps the credential; the errors of the two stores. Until the removal has begun, this
    ///   store still holds the credential.
    public func move(
        _ reference: CredentialReference, to destination: any CredentialStore, replacing: Bool = false,
        access: CredentialAccess = .silent
    ) async throws(CredentialError) {
        let label = try await list(service: reference.service, access: access).items
            .first { $0.reference == reference }?.label
        let record = try await record(of: reference, access)
        let wasThere = try await destination.holds(reference, equalTo: record, replacing: replacing, access)
        try await destination.save(
            Credential(record: record.duplicate(), for: reference), service: reference.service,
            account: reference.account, label: label, access: access)
        let stored = try await destination.record(of: reference, access)
        guard stored.isEqual(to: record) else {
            throw CredentialError(
                .providerFailed,
                "credential \(reference.description) was not moved: \(destination.name) returned another value than "
                    + "was saved; \(name) still holds it")
        }
        try await remove(reference, access: access)
        // If the destination held the credential before, both stores may be the same one under two names.
        guard wasThere, try await destination.recordIfPresent(reference, access) == nil else { return }
        try await destination.save(
            Credential(record: record.duplicate(), for: reference), service: reference.service,
            account: reference.account, label: label, access: access)
        throw CredentialError(
            .invalidArgument,
            "credential \(reference.description) was not moved: \(name) and \(destination.name) are the same store")
    }

    /// Returns whether this store, the destination of a move, already holds a credential under the reference: the same
    /// one, or one that may be replaced.
    ///
    /// - Throws: `exists` if this store holds another credential and `replacing` is false.
    private func holds(
        _ reference: CredentialReference, equalTo record: borrowing SecretBytes, replacing: Bool,
        _ access: CredentialAccess
    ) async throws(CredentialError) -> Bool {
        switch try await presence(of: reference, comparedTo: record, replacing: replacing, access) {
        case .absent: return false
        case .different where !replacing:
            throw CredentialError(
                .exists, "credential \(reference.description) was not moved: \(name) holds a different secret for it",
                hint: CredentialRemedy.replaceMoved.hint)
        case .equal, .different: return true
        }
    }
}
