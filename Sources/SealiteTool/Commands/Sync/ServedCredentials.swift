import SealiteCredentials
import SealiteCrypto

extension LazyCredentialStore {
    /// Returns the password of a user who is allowed to connect.
    ///
    /// - Throws: `notFound` if none is stored, with the command that stores one.
    func password(of user: String, servedBy service: ServedService) async throws(CredentialError) -> SecretBytes {
        try await carryOver(account: user, kind: .password, service)
        do throws(CredentialError) {
            return try await password(of: user, for: service.lasting)
        } catch {
            guard error.code == .notFound else { throw error }
            throw CredentialError(
                .notFound, error.reason,
                hint: "store it with 'sealite credential set \(service.lasting) --user \(user.shellArgument)'")
        }
    }

    /// Stores the password of a user who is allowed to connect, and creates a vault if one was named.
    func save(
        _ password: consuming SecretBytes, of user: String, servedBy service: ServedService
    ) async throws(CredentialError) {
        try await openToSave().save(
            .password(password), service: service.lasting, account: user, label: nil, access: access)
    }

    /// Moves a credential that is stored under the sealed file's id to the service id.
    ///
    /// A move leaves no credential under the file's id, so a credential that is found there was stored after the last
    /// move, and replaces the credential under the service id. A password that is changed under the old id therefore
    /// takes effect, and a removed password stays removed.
    func carryOver(account: String, kind: CredentialKind, _ service: ServedService) async throws(CredentialError) {
        let old = try CredentialReference(service: service.former, account: account, kind: kind)
        let store = try await open()
        do throws(CredentialError) {
            let found = try await store.read(old, access: access)
            try await store.save(found, service: service.lasting, account: account, label: nil, access: access)
        } catch {
            guard error.code == .notFound else { throw error }
            return
        }
        do throws(CredentialError) {
            try await store.remove(old, access: access)
        } catch {
            // Another connection has just moved the credential.
            guard error.code == .notFound else { throw error }
        }
    }
}
