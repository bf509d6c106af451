internal import SealiteCredentials

/// The source of an authenticator's credential: a store, and the known parts of the reference.
struct CredentialSource: Sendable {
    let store: any CredentialStore
    /// The service of the stored credential; nil for the endpoint of the handshake.
    let service: CredentialService?
    /// The account; nil if there is only one.
    let account: String?
    let access: CredentialAccess

    /// Queries the store, once, for all credentials that a handshake may present.
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
