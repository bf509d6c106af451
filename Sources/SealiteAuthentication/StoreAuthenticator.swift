public import SealiteCredentials
public import SealiteCrypto

/// Authentication with any credential that a store contains for an endpoint, so that the kind of credential is decided
/// when it is stored.
///
/// A client identity is presented for TLS. In addition, the request contains the session, or else the bearer token, or
/// else the password that is stored for the endpoint. The store is queried again at each handshake.
public struct StoreAuthenticator: Authenticator {
    private let source: CredentialSource
    private let session: SessionAuthenticator
    /// A Boolean value that indicates whether a store without a credential for the endpoint is no error: the handshake
    /// then contains no credentials.
    private let isOptional: Bool
    /// The kinds of credentials that are sent in a request header. They are looked up together, so that credentials of
    /// several accounts are detected as ambiguous, and a token of one account isn't preferred to the password of
    /// another.
    private static let headerKinds: [CredentialKind] = [.session, .bearer, .password]

    /// Creates an authenticator that reads a store at each handshake; the parameters are those of
    /// ``SessionAuthenticator``.
    public init(
        store: any CredentialStore, account: String? = nil, service: CredentialService? = nil,
        client: SessionClient? = SessionClient(), access: CredentialAccess = .silent
    ) {
        self.init(CredentialSource(store, account, service, access), isOptional: false, client: client)
    }

    /// Creates an authenticator that opens a store when the first secrets are requested, and reads the store at each
    /// handshake.
    ///
    /// - Parameters:
    ///   - open: returns the store, after opening it if it isn't open.
    ///   - account: the user's name; nil for the only account that the store has for the endpoint.
    ///   - isOptional: true to connect without credentials if the store has none for the endpoint. A store that is
    ///     locked or doesn't respond is an error in any case.
    ///   - client: the client that logs in.
    ///   - access: the rule for prompts, and the time limit.
    package init(
        opening open: @escaping @Sendable () async throws(CredentialError) -> any CredentialStore, account: String?,
        isOptional: Bool, client: SessionClient, access: CredentialAccess
    ) {
        let source = CredentialSource(open: open, account: account, service: nil, access: access)
        self.init(source, isOptional: isOptional, client: client)
    }

    private init(_ source: CredentialSource, isOptional: Bool, client: SessionClient?) {
        self.source = source
        self.isOptional = isOptional
        session = SessionAuthenticator(source, client: client)
    }

    /// Returns the secrets for a handshake, with one query to the store; see ``Authenticator/secrets(for:)``.
    public func secrets(for endpoint: CredentialService) async throws(AuthenticationError) -> HandshakeSecrets {
        do throws(AuthenticationError) {
            return try await stored(for: endpoint)
        } catch {
            guard isOptional, error.code == .notFound else { throw error }
            return HandshakeSecrets()
        }
    }

    private func stored(for endpoint: CredentialService) async throws(AuthenticationError) -> HandshakeSecrets {
        let match = try await source.match(for: endpoint, CredentialKind.endpointKinds)
        let header = try match.chosenIfThere(of: Self.headerKinds)
        let identity = try match.chosenIfThere(of: [.clientIdentity])
        // Without any credential, the store's own error names the missing one.
        if header == nil, identity == nil { _ = try match.chosen(of: CredentialKind.endpointKinds) }
        var secrets =
            try identity.map { (found) throws(AuthenticationError) in try match.secrets(of: found) }
            ?? HandshakeSecrets()
        guard let header else { return secrets }
        let shown =
            try await header.kind == .session
            ? session.secrets(for: endpoint, from: match) : match.secrets(of: header)
        secrets.authorization = shown.authorization
        secrets.cookies = shown.cookies
        return secrets
    }

    /// Logs in again if the server refused a stored session with 401, and returns whether there is a new session; see
    /// ``Authenticator/refused(by:status:)``.
    public func refused(by endpoint: CredentialService, status: Int) async throws(AuthenticationError) -> Bool {
        do throws(AuthenticationError) {
            let match = try await source.match(for: endpoint, Self.headerKinds)
            guard try match.chosenIfThere(of: Self.headerKinds)?.kind == .session else { return false }
            return try await session.refused(by: endpoint, status: status, match)
        } catch {
            guard isOptional, error.code == .notFound else { throw error }
            return false
        }
    }

    /// Stores the session if the server's response renews it; see ``Authenticator/accepted(by:cookies:)``.
    public func accepted(by endpoint: CredentialService, cookies: [SharedSecret]) async {
        await session.accepted(by: endpoint, cookies: cookies)
    }
}

/// The credential store of an authenticator, with the account and the service for which credentials are read and stored.
struct CredentialSource: Sendable {
    /// Returns the store, after opening it if it isn't open: a program may delay the opening until the first handshake.
    let open: @Sendable () async throws(CredentialError) -> any CredentialStore
    /// The user's name; nil for the only account that the store has for the endpoint.
    let account: String?
    /// The service of the stored credential; nil for the endpoint of the handshake.
    let service: CredentialService?
    let access: CredentialAccess

    /// Returns the credentials of some kinds that a handshake with an endpoint may present, with one query to the
    /// store.
    func match(
        for endpoint: CredentialService, _ kinds: [CredentialKind]
    ) async throws(AuthenticationError) -> CredentialMatch {
        do throws(CredentialError) {
            return try await open().match(
                service: service ?? endpoint, account: account, kinds: kinds, access: access)
        } catch {
            throw AuthenticationError(error)
        }
    }

    /// Stores a session under a reference.
    func save(
        _ session: consuming SessionCredential, as reference: CredentialReference
    ) async throws(AuthenticationError) {
        do throws(CredentialError) {
            try await open().save(
                .session(session), service: reference.service, account: reference.account, label: nil, access: access)
        } catch {
            throw AuthenticationError(error)
        }
    }
}

extension CredentialSource {
    /// Creates a source that reads an open store.
    init(
        _ store: any CredentialStore, _ account: String?, _ service: CredentialService?, _ access: CredentialAccess
    ) {
        self.init(open: { () throws(CredentialError) in store }, account: account, service: service, access: access)
    }
}
