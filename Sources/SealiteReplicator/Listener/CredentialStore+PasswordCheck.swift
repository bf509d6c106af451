public import SealiteCredentials
internal import SealiteCrypto

extension CredentialStore {
    /// Makes a check of passwords for a listener that compares with what this store holds at that moment: a password that is
    /// changed in the store counts at the next handshake, and one that is removed lets nobody in.
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
        { user, password in
            guard !user.isEmpty, users?.contains(user) ?? true else { return false }
            // A name that no credential can have is nobody's.
            guard let reference = try? CredentialReference(service: service, account: user, kind: .password) else {
                return false
            }
            do throws(CredentialError) {
                guard case .password(let stored) = try await self.read(reference, access: access) else { return false }
                return stored.isEqual(to: password.duplicate())
            } catch {
                guard error.code == .notFound else { throw error }
                return false
            }
        }
    }
}
