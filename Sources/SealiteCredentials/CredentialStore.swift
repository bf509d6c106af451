/// A place that keeps credentials.
///
/// Callers may rely on this, whichever store it is:
/// - absence is proven: ``read(_:access:)`` throws `notFound` only after the store was read and nothing was locked.
///   Every other error says nothing about whether the credential exists, so never make a new key because of one;
/// - saving replaces what stood under the same service, account and kind, or leaves it as it was: a failed save loses
///   nothing;
/// - listing never loads a secret;
/// - methods are safe from any task, don't block the cooperative threads, and heed cancellation and the time limit.
///
/// ```swift
/// let service = try CredentialService("wss://sync.example.com/notes")
/// try await store.save(.password(password), service: service, account: "ana")
/// let credential = try await store.read(CredentialReference(service: service, account: "ana", kind: .password))
/// ```
public protocol CredentialStore: Sendable {
    /// The name of the store in messages, for example `the Secret Service (gnome-keyring)`.
    var name: String { get }

    /// Keeps a credential in place of the one with the same service, account and kind.
    ///
    /// - Parameters:
    ///   - credential: the credential; wiped when the store has it.
    ///   - service: what it is for.
    ///   - account: whose it is; empty where there is none.
    ///   - label: what people see in the desktop's password manager; nil for a standard one. Never secret.
    ///   - access: whether a prompt may be shown, and the time limit.
    /// - Throws: `locked`, `promptDismissed`, `noSessionBus`, `noProvider`, `noCollection`, `timedOut` (whether it was
    ///   saved is then not known), `cancelled`, `permission`, `tooLarge`, `diskFull`, `invalidArgument`.
    func save(
        _ credential: consuming Credential, service: CredentialService, account: String, label: String?,
        access: CredentialAccess
    ) async throws(CredentialError)

    /// Reads a credential with its secret.
    ///
    /// - Throws: `notFound` when it is proven that there is none; `locked` when it, or what could hold it, is locked;
    ///   `duplicate` when several items with different secrets stand under the reference; `damaged` or
    ///   `unsupportedVersion` when what is stored isn't a credential of the kind; and as ``save`` does.
    func read(_ reference: CredentialReference, access: CredentialAccess) async throws(CredentialError) -> Credential

    /// Removes a credential, and proves that it is gone.
    ///
    /// - Throws: `notFound` when it is proven that there is none, and as ``read(_:access:)`` does.
    func remove(_ reference: CredentialReference, access: CredentialAccess) async throws(CredentialError)

    /// Lists the stored credentials, without secrets.
    ///
    /// - Parameters:
    ///   - service: only for this service; nil for all.
    ///   - access: whether a prompt may be shown, and the time limit.
    /// - Returns: the items, and whether these are all.
    /// - Throws: as ``read(_:access:)`` does; never `notFound`: a listing may be empty. What is locked is no error
    ///   either: ``CredentialListing/isComplete`` tells.
    func list(service: CredentialService?, access: CredentialAccess) async throws(CredentialError) -> CredentialListing

    /// Returns what is stored for a service, with secrets, in one call. A store that doesn't do this itself lists and then reads.
    ///
    /// - Parameters:
    ///   - service: what the credentials are for.
    ///   - account: whose they are; nil for anybody's.
    ///   - kinds: their kinds.
    ///   - access: the rule for prompts, and the time limit.
    /// - Returns: the credentials that fit. An error with one of them is thrown where that credential is asked for.
    /// - Throws: what ``list(service:access:)`` throws; `cancelled`.
    func match(
        service: CredentialService, account: String?, kinds: [CredentialKind], access: CredentialAccess
    ) async throws(CredentialError) -> CredentialMatch
}

extension CredentialStore {
    /// The largest secret or record that a store takes, in bytes: 1 MiB.
    public static var maximumSecretByteCount: Int { Credential.maximumRecordByteCount }

    /// Returns what is stored for a service, with secrets: lists what there is, then reads what is wanted of it.
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

    /// Keeps a credential, without a prompt, within 2 seconds, under a standard label.
    public func save(
        _ credential: consuming Credential, service: CredentialService, account: String
    ) async throws(CredentialError) {
        try await save(credential, service: service, account: account, label: nil, access: .silent)
    }

    /// Reads a credential, without a prompt, within 2 seconds.
    public func read(_ reference: CredentialReference) async throws(CredentialError) -> Credential {
        try await read(reference, access: .silent)
    }

    /// Removes a credential, without a prompt, within 2 seconds.
    public func remove(_ reference: CredentialReference) async throws(CredentialError) {
        try await remove(reference, access: .silent)
    }

    /// Lists everything, without a prompt, within 2 seconds.
    public func list() async throws(CredentialError) -> CredentialListing {
        try await list(service: nil, access: .silent)
    }
}
