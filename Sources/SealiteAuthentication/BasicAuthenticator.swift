public import SealiteCredentials
public import SealiteCrypto

/// Basic authentication (RFC 7617): a name and a password in the `Authorization` header of each handshake.
public struct BasicAuthenticator: Authenticator {
    private enum Source: Sendable {
        case store(CredentialSource)
        case values(name: String, password: SharedSecret)
    }
    private let source: Source

    /// Reads the password from a store at each handshake.
    ///
    /// - Parameters:
    ///   - store: where the password is.
    ///   - account: the user's name; nil when the store has one account for the endpoint.
    ///   - service: what it is stored for; nil for the endpoint that is called.
    ///   - access: whether the store may show a prompt, and its time limit.
    public init(
        store: any CredentialStore, account: String? = nil, service: CredentialService? = nil,
        access: CredentialAccess = .silent
    ) {
        source = .store(CredentialSource(store: store, service: service, account: account, access: access))
    }

    /// Keeps a name and a password in locked memory as long as it lives.
    public init(username: String, password: consuming SecretBytes) {
        source = .values(name: username, password: SharedSecret(password))
    }

    /// Reads what to show; see ``Authenticator/secrets(for:)``.
    public func secrets(for endpoint: CredentialService) async throws(AuthenticationError) -> HandshakeSecrets {
        switch source {
        case .values(let name, let password):
            return try Self.header(name, password.secret)
        case .store(let source):
            let reference = try await source.reference(for: endpoint, [.password])
            guard case .password(let password) = try await source.read(reference) else {
                throw .wrongKind(reference)
            }
            return try Self.header(reference.account, password)
        }
    }

    private static func header(
        _ name: String, _ password: borrowing SecretBytes
    ) throws(AuthenticationError) -> HandshakeSecrets {
        guard !name.utf8.contains(UInt8(ascii: ":")) else {
            throw AuthenticationError(
                .unusable, "the user name has a colon, which Basic authentication can't carry")
        }
        let plain = SecretBytes.joined("\(name):", password, "")
        return HandshakeSecrets(authorization: SecretBox(SecretBytes.base64("Basic ", plain)))
    }
}

/// A bearer token (RFC 6750) in the `Authorization` header of each handshake.
public struct BearerAuthenticator: Authenticator {
    private let source: CredentialSource

    /// Reads the token from a store at each handshake; the parameters are ``BasicAuthenticator``'s.
    public init(
        store: any CredentialStore, account: String? = nil, service: CredentialService? = nil,
        access: CredentialAccess = .silent
    ) {
        source = CredentialSource(store: store, service: service, account: account, access: access)
    }

    /// Reads what to show; see ``Authenticator/secrets(for:)``.
    public func secrets(for endpoint: CredentialService) async throws(AuthenticationError) -> HandshakeSecrets {
        let reference = try await source.reference(for: endpoint, [.bearer])
        guard case .bearer(let token) = try await source.read(reference) else { throw .wrongKind(reference) }
        return HandshakeSecrets(authorization: SecretBox(SecretBytes.joined("Bearer ", token, "")))
    }
}
