import SealiteCredentials

/// Where an authenticator finds its credential: a store, and what is known beforehand of the reference.
struct CredentialSource: Sendable {
    let store: any CredentialStore
    /// What the credential is stored for; nil for the endpoint that is called.
    let service: CredentialService?
    /// Whose it is; nil when there is only one account.
    let account: String?
    let access: CredentialAccess

    /// The reference of the credential to use; the first kind that is there.
    func reference(
        for endpoint: CredentialService, _ kinds: [CredentialKind]
    ) async throws(AuthenticationError) -> CredentialReference {
        do throws(CredentialError) {
            return try await store.find(
                service: service ?? endpoint, account: account, kinds: kinds, access: access)
        } catch {
            throw AuthenticationError(error)
        }
    }

    /// The credential of a reference.
    func read(_ reference: CredentialReference) async throws(AuthenticationError) -> Credential {
        do throws(CredentialError) {
            return try await store.read(reference, access: access)
        } catch {
            throw AuthenticationError(error)
        }
    }

    /// The credential of a reference; nil when it is proven that there is none.
    func readIfThere(_ reference: CredentialReference) async throws(AuthenticationError) -> Credential? {
        do throws(CredentialError) {
            return try await store.read(reference, access: access)
        } catch {
            guard error.code == .notFound else { throw AuthenticationError(error) }
            return nil
        }
    }
}

extension AuthenticationError {
    /// The store answered with another kind than was asked for.
    static func wrongKind(_ reference: CredentialReference) -> AuthenticationError {
        AuthenticationError(.unusable, "what the store holds as \(reference) is of another kind")
    }
}
