import SealiteCredentials
import SealiteCrypto

extension LazyCredentialStore {
    /// Returns the password of a user who is allowed to connect.
    ///
    /// - Throws: `notFound` if none is stored, with the command that stores one.
    func password(of user: String, servedBy service: CredentialService) async throws(CredentialError) -> SecretBytes {
        do throws(CredentialError) {
            return try await password(of: user, for: service)
        } catch {
            guard error.code == .notFound else { throw error }
            throw CredentialError(
                .notFound, error.reason,
                hint: "store it with 'sealite credential set \(service) --user \(user.shellArgument)'")
        }
    }

    /// Stores the password of a user who is allowed to connect, and creates a vault if one was named.
    func save(
        _ password: consuming SecretBytes, of user: String, servedBy service: CredentialService
    ) async throws(CredentialError) {
        try await openToSave().save(
            .password(password), service: service, account: user, label: nil, access: access)
    }
}
