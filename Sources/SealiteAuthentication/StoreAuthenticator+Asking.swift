internal import SealiteCredentials

// The queries of authenticators to their stores. The other authenticators use a store authenticator for them.
extension StoreAuthenticator {
    /// Returns the credentials of some kinds that a handshake with an endpoint may present, with one query to the
    /// store.
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
