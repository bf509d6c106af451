internal import SealiteCredentials
internal import SealiteCrypto

/// The secrets of a handshake from the credentials that a store returned. The store isn't queried again.
extension CredentialMatch {
    /// Returns the reference of the credential that matches best; see `CredentialMatch.best(of:)`.
    func chosen(of kinds: [CredentialKind]) throws(AuthenticationError) -> CredentialReference {
        do throws(CredentialError) { return try best(of: kinds) } catch { throw AuthenticationError(error) }
    }

    /// Returns the reference of the credential that matches best; nil if it is proven that the store has no credential
    /// of these kinds.
    func chosenIfThere(of kinds: [CredentialKind]) throws(AuthenticationError) -> CredentialReference? {
        do throws(AuthenticationError) {
            return try chosen(of: kinds)
        } catch {
            guard error.code == .notFound else { throw error }
            return nil
        }
    }

    /// Returns the secrets of a handshake for one of the credentials that the store returned; none for a slot key. A
    /// session is presented as it is stored; only `SessionAuthenticator` renews it if necessary.
    func secrets(of reference: CredentialReference) throws(AuthenticationError) -> HandshakeSecrets {
        switch try loaded(reference) {
        case .password(let password): return try .basic(reference.account, password)
        case .bearer(let token): return .bearer(token)
        case .clientIdentity(let identity):
            return HandshakeSecrets(identity: TransportIdentity(identity))
        case .session(let session): return .cookie(name: session.cookieName, value: session.sessionID)
        case .slotKey: return HandshakeSecrets()
        }
    }

    /// Returns the session of an account; nil if the credentials that the store returned contain none.
    func session(of account: String) throws(AuthenticationError) -> Session? {
        let reference = try reference(account, .session)
        guard references.contains(reference) else { return nil }
        do throws(AuthenticationError) {
            guard case .session(let session) = try loaded(reference) else { return nil }
            return Session(session)
        } catch {
            guard error.code == .notFound else { throw error }
            return nil
        }
    }

    /// Returns the password of an account. Throws `notFound` if the credentials that the store returned contain none,
    /// `storeLocked` if a locked part of the store may contain it.
    func password(of account: String) throws(AuthenticationError) -> SecretBytes {
        let reference = try reference(account, .password)
        guard case .password(let password) = try loaded(reference) else {
            throw AuthenticationError(
                .unusable, "the item \(reference) in the credential store doesn't hold a password")
        }
        return password
    }

    /// Returns the reference of an account's credential of a kind, for the service that the store was queried for. Such
    /// a credential needn't exist. Throws `unusable` if the account's name isn't valid.
    func reference(_ account: String, _ kind: CredentialKind) throws(AuthenticationError) -> CredentialReference {
        do throws(CredentialError) {
            return try CredentialReference(service: service, account: account, kind: kind)
        } catch {
            throw AuthenticationError(error)
        }
    }

    private func loaded(_ reference: CredentialReference) throws(AuthenticationError) -> Credential {
        do throws(CredentialError) { return try credential(reference) } catch { throw AuthenticationError(error) }
    }
}

extension HandshakeSecrets {
    /// Returns a handshake's secrets for Basic authentication with a user name and a password.
    ///
    /// - Throws: `unusable` for a name with a colon.
    static func basic(
        _ name: String, _ password: borrowing SecretBytes
    ) throws(AuthenticationError) -> HandshakeSecrets {
        do throws(TransportError) {
            return try basic(user: name, password: password)
        } catch {
            throw AuthenticationError(
                .unusable, "the user name has a colon, which Basic authentication can't carry")
        }
    }
}
