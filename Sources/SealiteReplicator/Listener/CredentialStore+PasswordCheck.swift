public import SealiteCredentials
public import SealiteCrypto

extension CredentialStore {
    /// Creates a password check for a listener. The check reads the user's password from the store each time it is
    /// called, so a changed password takes effect at the next handshake, and a user without a stored password is
    /// refused.
    ///
    /// The store is queried and a comparison made even for a user that may not connect or has no password, so that
    /// response times don't reveal user names.
    ///
    /// - Parameters:
    ///   - service: the service under which the users' passwords are stored, each with the user as account.
    ///   - users: the users that may connect; nil allows every user with a password in the store.
    ///   - access: whether the store may show a prompt, and the time limit.
    /// - Returns: the check, for `ListenerConfiguration.passwordCheck`: it returns whether the user may connect and the
    ///   password is right. It throws if the store can't be read, for example while it is locked.
    public func passwordCheck(
        for service: CredentialService, users: Set<String>? = nil, access: CredentialAccess = .silent
    ) -> @Sendable (_ user: String, _ password: SharedSecret) async throws -> Bool {
        let standIn = users?.min()
        return { user, password in
            let isListed = !user.isEmpty && users?.contains(user) ?? true
            let asked = isListed ? user : standIn ?? user
            // No credential can have an invalid name: the empty account is queried instead.
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
