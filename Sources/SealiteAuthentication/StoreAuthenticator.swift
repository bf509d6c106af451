public import SealiteCredentials
public import SealiteCrypto

/// Authentication with any credential that a store contains for an endpoint, so that the person who stored it decides.
///
/// A client identity is presented for TLS. In addition, the request contains the first of these that is stored: a
/// session, a bearer token, a password. The choice is made again at each handshake.
public struct StoreAuthenticator: Authenticator {
    private let source: CredentialSource
    private let session: SessionAuthenticator
    /// The kinds for the request. They are queried together, so that a token of one account doesn't silently take
    /// precedence over the password of another one.
    private static let headerKinds: [CredentialKind] = [.session, .bearer, .password]

    /// Creates an authenticator that reads a store at each handshake; the parameters are those of
    /// ``SessionAuthenticator``.
    public init(
        store: any CredentialStore, account: String? = nil, service: CredentialService? = nil,
        client: SessionClient? = SessionClient(), access: CredentialAccess = .silent
    ) {
        source = CredentialSource(store: store, service: service, account: account, access: access)
        session = SessionAuthenticator(
            store: store, account: account, service: service, client: client, access: access)
    }

    /// Returns the secrets for a handshake, with one query to the store; see ``Authenticator/secrets(for:)``.
    public func secrets(for endpoint: CredentialService) async throws(AuthenticationError) -> HandshakeSecrets {
        let match = try await source.match(for: endpoint, CredentialKind.endpointKinds)
        let header = try match.chosenIfThere(of: Self.headerKinds)
        let identity = try match.chosenIfThere(of: [.clientIdentity])
        // Without any credential, the store's own error says what is missing.
        if header == nil, identity == nil { _ = try match.chosen(of: CredentialKind.endpointKinds) }
        var secrets =
            try identity.map { (found) throws(AuthenticationError) in try match.secrets(of: found) }
            ?? HandshakeSecrets()
        guard let header else { return secrets }
        let shown =
            header.kind == .session
            ? try await session.secrets(for: endpoint, from: match) : try match.secrets(of: header)
        secrets.authorization = shown.authorization
        secrets.cookies = shown.cookies
        return secrets
    }

    /// Returns whether there are new secrets; see ``Authenticator/refused(by:status:)``.
    public func refused(by endpoint: CredentialService, status: Int) async throws(AuthenticationError) -> Bool {
        let match = try await source.match(for: endpoint, Self.headerKinds)
        guard try match.chosenIfThere(of: Self.headerKinds)?.kind == .session else { return false }
        return try await session.refused(by: endpoint, status: status, match)
    }

    /// Stores a renewed session; see ``Authenticator/accepted(by:cookies:)``.
    public func accepted(by endpoint: CredentialService, cookies: [SharedSecret]) async {
        await session.accepted(by: endpoint, cookies: cookies)
    }
}
