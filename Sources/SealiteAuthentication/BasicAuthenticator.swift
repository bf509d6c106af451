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
            return try .basic(name, password.secret)
        case .store(let source):
            let match = try await source.match(for: endpoint, [.password])
            return try match.secrets(of: try match.chosen(of: [.password]))
        }
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
        let match = try await source.match(for: endpoint, [.bearer])
        return try match.secrets(of: try match.chosen(of: [.bearer]))
    }
}
