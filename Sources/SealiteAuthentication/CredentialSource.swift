internal import SealiteCredentials

/// The place of an authenticator's credential: a store, and what is known beforehand of the reference.
struct CredentialSource: Sendable {
    let store: any CredentialStore
    /// The service that the credential is stored for; nil for the endpoint that is called.
    let service: CredentialService?
    /// The account; nil when there is only one.
    let account: String?
    let access: CredentialAccess

    /// Asks the store, once, for all that a handshake may show.
    func match(
        for endpoint: CredentialService, _ kinds: [CredentialKind]
    ) async throws(AuthenticationError) -> CredentialMatch {
        do throws(CredentialError) {
            return try await store.match(
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
            try await store.save(
                .session(session), service: reference.service, account: reference.account, label: nil, access: access)
        } catch {
            throw AuthenticationError(error)
        }
    }
}
