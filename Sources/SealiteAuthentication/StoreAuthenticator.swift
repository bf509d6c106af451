public import SealiteCredentials
public import SealiteCrypto

/// Shows whatever a store holds for an endpoint: what a program uses when the person who stored the credential decides.
///
/// A client identity is offered for TLS. Beside it, the best of these goes into the request: a session, a bearer token, a
/// password. It is decided anew at each handshake.
public struct StoreAuthenticator: Authenticator {
    private let source: CredentialSource
    private let identity: ClientCertificateAuthenticator
    private let session: SessionAuthenticator
    private let bearer: BearerAuthenticator
    private let basic: BasicAuthenticator

    /// Reads a store at each handshake; the parameters are ``SessionAuthenticator``'s.
    public init(
        store: any CredentialStore, account: String? = nil, service: CredentialService? = nil,
        client: SessionClient? = SessionClient(), access: CredentialAccess = .silent
    ) {
        source = CredentialSource(store: store, service: service, account: account, access: access)
        identity = ClientCertificateAuthenticator(store: store, account: account, service: service, access: access)
        session = SessionAuthenticator(
            store: store, account: account, service: service, client: client, access: access)
        bearer = BearerAuthenticator(store: store, account: account, service: service, access: access)
        basic = BasicAuthenticator(store: store, account: account, service: service, access: access)
    }

    /// Reads what to show; see ``Authenticator/secrets(for:)``.
    public func secrets(for endpoint: CredentialService) async throws(AuthenticationError) -> HandshakeSecrets {
        let header = try await headerAuthenticator(for: endpoint)
        guard try await firstKind(of: [.clientIdentity], endpoint) != nil else {
            // Without any, the store's own words say what is missing.
            guard let header else {
                _ = try await source.reference(for: endpoint, CredentialKind.endpointKinds)
                return HandshakeSecrets()
            }
            return try await header.secrets(for: endpoint)
        }
        var secrets = try await identity.secrets(for: endpoint)
        if let header {
            let shown = try await header.secrets(for: endpoint)
            secrets.authorization = shown.authorization
            secrets.cookie = shown.cookie
        }
        return secrets
    }

    /// Tells whether there is something new to show; see ``Authenticator/refused(by:status:)``.
    public func refused(by endpoint: CredentialService, status: Int) async throws(AuthenticationError) -> Bool {
        try await headerAuthenticator(for: endpoint)?.refused(by: endpoint, status: status) ?? false
    }

    /// Keeps a renewal; see ``Authenticator/accepted(by:cookies:)``.
    public func accepted(by endpoint: CredentialService, cookies: [SecretBox]) async {
        await session.accepted(by: endpoint, cookies: cookies)
    }

    /// What makes the header; nil when the store has nothing for one.
    ///
    /// Its kinds are looked for together: a token of one account never goes before the password of another unnoticed.
    private func headerAuthenticator(
        for endpoint: CredentialService
    ) async throws(AuthenticationError) -> (any Authenticator)? {
        switch try await firstKind(of: [.session, .bearer, .password], endpoint) {
        case .session: session
        case .bearer: bearer
        case .password: basic
        default: nil
        }
    }

    /// The first of the kinds that the store has for an endpoint; nil when it is proven that it has none.
    private func firstKind(
        of kinds: [CredentialKind], _ endpoint: CredentialService
    ) async throws(AuthenticationError) -> CredentialKind? {
        do throws(AuthenticationError) {
            return try await source.reference(for: endpoint, kinds).kind
        } catch {
            guard error.code == .notFound else { throw error }
            return nil
        }
    }
}
