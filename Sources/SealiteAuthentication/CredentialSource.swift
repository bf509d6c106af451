internal import SealiteCredentials

/// The source of an authenticator's credential: a store, and the known parts of the reference.
struct CredentialSource: Sendable {
    /// Opens the store, which a program may leave until the first handshake.
    private let open: @Sendable () async throws(CredentialError) -> any CredentialStore
    /// The service of the stored credential; nil for the endpoint of the handshake.
    let service: CredentialService?
    /// The account; nil if there is only one.
    let account: String?
    let access: CredentialAccess

    init(
        opening open: @escaping @Sendable () async throws(CredentialError) -> any CredentialStore,
        service: CredentialService? = nil, account: String?, access: CredentialAccess
    ) {
        (self.open, self.service, self.account, self.access) = (open, service, account, access)
    }

    init(store: any CredentialStore, service: CredentialService?, account: String?, access: CredentialAccess) {
        self.init(
            opening: { () throws(CredentialError) in store }, service: service, account: account, access: access)
    }

    /// Asks the store, once, for all that a handshake may show.
    func match(
        for endpoint: CredentialService, _ kinds: [CredentialKind]
    ) async throws(AuthenticationError) -> CredentialMatch {
        do throws(CredentialError) {
            return try await open().match(
                service: service ?? endpoint, account: account, kinds: kinds, access: access)
        } catch {
            throw AuthenticationError(error)
        }
    }

    /// Stores a session under a reference.
    func save(
        _ session: consuming SessionCredential, as reference: CredentialReference
    ) async throws(AuthenticationError) {
        do throws(CredentialError) {
            try await open().save(
                .session(session), service: reference.service, account: reference.account, label: nil, access: access)
        } catch {
            throw AuthenticationError(error)
        }
    }
}
