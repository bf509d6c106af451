public import SealiteCredentials
public import SealiteCrypto

/// Basic authentication (RFC 7617): a name and a password in the `Authorization` header of each handshake.
public struct BasicAuthenticator: Authenticator {
    private enum Source: Sendable {
        case store(StoreAuthenticator)
        case values(name: String, password: SharedSecret)
    }
    private let source: Source

    /// Creates an authenticator that reads the password from a store at each handshake.
    ///
    /// - Parameters:
    ///   - store: the store with the password.
    ///   - account: the user's name; nil for the only account that the store has for the endpoint.
    ///   - service: the service of the stored credential; nil for the endpoint of the handshake.
    ///   - access: the rule for prompts, and the time limit of the store.
    public init(
        store: any CredentialStore, account: String? = nil, service: CredentialService? = nil,
        access: CredentialAccess = .silent
    ) {
        source = .store(StoreAuthenticator(asking: store, account: account, service: service, access: access))
    }

    /// Creates an authenticator with a name and a password, which it keeps in locked memory during its lifetime.
    public init(username: String, password: consuming SecretBytes) {
        source = .values(name: username, password: SharedSecret(password))
    }

    /// Returns the secrets for a handshake; see ``Authenticator/secrets(for:)``.
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
