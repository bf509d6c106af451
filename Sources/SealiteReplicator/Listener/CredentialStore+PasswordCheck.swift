public import SealiteCredentials
public import SealiteCrypto

extension CredentialStore {
    /// Makes a check of passwords for a listener that compares with what this store holds at that moment: a password that is
    /// changed in the store counts at the next handshake, and one that is removed lets nobody in.
    ///
    /// For a user that may not connect, or that has no password, the store is asked and a comparison made all the same, so that the
    /// time of an answer names no users.
    ///
    /// - Parameters:
    ///   - service: the service under which the users' passwords are stored, each with the user as account.
    ///   - users: the users that may connect; nil lets in everyone with a password there.
    ///   - access: whether the store may show a prompt, and the time limit.
    /// - Returns: the check, for `ListenerConfiguration.passwordCheck`. It throws when the store can't be read, for example while
    ///   it is locked.
    public func passwordCheck(
        for service: CredentialService, users: Set<String>? = nil, access: CredentialAccess = .silent
    ) -> @Sendable (_ user: String, _ password: SharedSecret) async throws -> Bool {
        let standIn = users?.min()
        return { user, password in
            let isListed = !user.isEmpty && users?.contains(user) ?? true
            let asked = isListed ? user : standIn ?? user
            // A name that no credential can have is nobody's: the account without a name is asked for in its place.
            let named = try? CredentialReference(service: service, account: asked, kind: .password)
            let reference = try named ?? CredentialReference(service: service, account: "", kind: .password)
            let isRight: Bool
            do throws(CredentialError) {
                guard case .password(let stored) = try await self.read(reference, access: access) else { return false }
                isRight = stored.isEqual(to: password.duplicate())
            } catch {
                guard error.code == .notFound else { throw error }
                password.compareInVain()
                return false
            }
            return isRight && isListed && named != nil
        }
    }
}
