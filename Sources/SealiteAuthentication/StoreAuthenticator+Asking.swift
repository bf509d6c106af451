internal import SealiteCredentials

// All that an authenticator asks its store for. The other authenticators hold a store authenticator for it.
extension StoreAuthenticator {
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
