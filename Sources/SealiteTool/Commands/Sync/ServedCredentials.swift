import SealiteCredentials
import SealiteCrypto

/// The services in a credential store that the credentials of a served database are kept under.
struct ServedService {
    /// Bound to the database's service id, which a restore keeps.
    let lasting: CredentialService
    /// Bound to the id of the sealed file, as versions before did it. What is found here is carried over.
    let former: CredentialService

    init(serviceID: String, databaseID: String) {
        lasting = .server(serviceID)
        former = .server(databaseID)
    }
}

extension StoreOnDemand {
    /// Reads the password of a user who may come in.
    ///
    /// - Throws: `notFound` where none is stored, with the command that stores one.
    func password(of user: String, servedBy service: ServedService) async throws(CredentialError) -> SecretBytes {
        try await carryOver(account: user, kind: .password, service)
        do throws(CredentialError) {
            return try await password(of: user, for: service.lasting)
        } catch {
            guard error.code == .notFound else { throw error }
            throw CredentialError(
                .notFound, error.reason,
                hint: "store it with 'sealite credential set \(service.lasting) --user \(user)'")
        }
    }

    /// Moves what is stored under the sealed file's id to the service id.
    ///
    /// A credential that is found there was stored after the last move, which leaves nothing behind: it replaces what is in the
    /// new place. So a password that somebody changes by its old name counts, and one that was removed stays removed.
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
            // Another connection has just carried it over.
            guard error.code == .notFound else { throw error }
        }
    }
}
