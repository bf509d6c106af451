public import SealiteCredentials
internal import SealiteCrypto

/// Authentication with a bearer token (RFC 6750) in the `Authorization` header of each handshake.
public struct BearerAuthenticator: Authenticator {
    private let source: StoreAuthenticator

    /// Creates an authenticator that reads the token from a store at each handshake; the parameters are those of
    /// ``BasicAuthenticator``.
    public init(
        store: any CredentialStore, account: String? = nil, service: CredentialService? = nil,
        access: CredentialAccess = .silent
    ) {
        source = StoreAuthenticator(asking: store, account: account, service: service, access: access)
    }

    /// Returns the secrets for a handshake; see ``Authenticator/secrets(for:)``.
    public func secrets(for endpoint: CredentialService) async throws(AuthenticationError) -> HandshakeSecrets {
        let match = try await source.match(for: endpoint, [.bearer])
        return try match.secrets(of: try match.chosen(of: [.bearer]))
    }
}
